import { expect, it } from "vitest";
import { runProgram } from "./main.mjs";

it("Zeph works in Vitest", async () => expect(await runProgram()).toEqual([]));
