import { expect, it } from "@jest/globals";
import { runProgram } from "./main.mjs";

it("Zeph works in Jest with modules", async () => expect(await runProgram()).toEqual([]), 120_000);
