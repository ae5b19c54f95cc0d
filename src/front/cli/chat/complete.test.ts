import { expect, it } from "vitest";
import { scratch } from "../../../../test/scratch.ts";
import type { SlashCommand } from "../../../core/command.ts";
import { completeMessage } from "./complete.ts";

const COMMANDS = ["/help", "/status", "/show", "/skill", "/tools", "/broken"];
const part = (name: `/${string}`, complete: SlashCommand["complete"]): SlashCommand => ({
  name,
  usage: name,
  help: "",
  ...(complete && { complete }),
  run: async () => ({ text: "" }),
});
const PARTS = [
  part("/skill", async () => ["list", "trust alpha", "trust beta", "bad\u001b[2J"]),
  part("/broken", () => {
    throw new Error("no");
  }),
];
const TOOLS = [
  { name: "read", description: "", parameters: {} },
  { name: "write", description: "", parameters: {} },
] as never[];
const completed = (line: string) => completeMessage(line, COMMANDS, PARTS, TOOLS);

it("Tab completes commands, and what they take", async () => {
  expect(await completed("/s")).toEqual([["/status", "/show", "/skill"], "/s"]);
  expect(await completed("/tools re")).toEqual([["read "], "re"]);
  expect(await completed("/skill l")).toEqual([["list"], "l"]);
  expect(await completed("/skill trust a")).toEqual([["trust alpha"], "trust a"]);
  expect(await completed("/skill bad")).toEqual([[], "bad"]);
  expect(await completed("/broken x")).toEqual([[], "x"]);
});

it("Tab completes a path anywhere in a message, and nothing else", async () => {
  const here = scratch();
  here.write(`${here.cwd}/src/parser.ts`, "");
  here.write(`${here.cwd}/src/a b.ts`, "");
  here.write(`${here.cwd}/src/odd\u001b[2J.ts`, "");
  const path = `${here.cwd}/src/`;
  expect(await completed(`look at ${path}par`)).toEqual([[`${path}parser.ts`], `${path}par`]);
  expect(await completed(`look at @${path}par`)).toEqual([[`@${path}parser.ts`], `@${path}par`]);
  expect(await completed(`look at ${path}a`)).toEqual([[`"${path}a b.ts"`], `${path}a`]);
  expect((await completed(`look at ${path}`))[0]).toHaveLength(2);
  // A path may begin a message.
  expect(await completed(`${path}par`)).toEqual([[`${path}parser.ts`], `${path}par`]);
  expect(await completed("look at par")).toEqual([[], "look at par"]);
  expect(await completed(`first line\nthen ${path}par`)).toEqual([[`${path}parser.ts`], `${path}par`]);
});
