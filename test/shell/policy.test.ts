import { describe, expect, it } from "vitest";
import { understand } from "../../src/shell/understand.ts";
import { allowAll, answer } from "./door.ts";
import { commandsOf } from "./lists.ts";

const blocked = commandsOf("blocked.txt");
const benign = commandsOf("benign.txt");

describe("what is never run", () => {
  it.each([...new Set(blocked.map(({ group }) => group))])("%s", async (group) => {
    const wrong: string[] = [];
    for (const { command } of blocked.filter((entry) => entry.group === group))
      for (const autonomy of ["supervised", "full"] as const) {
        const got = await answer(command, { ...allowAll, autonomy });
        if (got !== "block") wrong.push(`${got}: ${command}`);
      }
    expect(wrong).toEqual([]);
  });
});

describe("what runs without a question when everything is allowed", () => {
  it.each([...new Set(benign.map(({ group }) => group))])("%s", async (group) => {
    const wrong: string[] = [];
    for (const { command } of benign.filter((entry) => entry.group === group)) {
      // Where substitutions are looked into, and, for those without one, where they are refused.
      for (const constructs of understand(command).constructs.length > 0 ? (["look"] as const) : (["look", "block"] as const)) {
        const got = await answer(command, { ...allowAll, constructs });
        if (got !== "allow") wrong.push(`${got}: ${command}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

const asked = commandsOf("ask.txt");
describe("what is asked about even when everything is allowed", () => {
  it.each([...new Set(asked.map(({ group }) => group))])("%s", async (group) => {
    const wrong: string[] = [];
    for (const { command } of asked.filter((entry) => entry.group === group)) {
      const got = await answer(command, { ...allowAll, constructs: "look" });
      if (got !== "ask") wrong.push(`${got}: ${command}`);
    }
    expect(wrong).toEqual([]);
  });
});

const launchers = commandsOf("launchers.txt");
describe("what starts another program is never let through without a question", () => {
  it.each([...new Set(launchers.map(({ group }) => group))])("%s", async (group) => {
    const wrong: string[] = [];
    for (const { command } of launchers.filter((entry) => entry.group === group))
      for (const constructs of ["look", "block"] as const) {
        const got = await answer(command, { ...allowAll, constructs });
        if (got === "allow") wrong.push(`${got}: ${command}`);
      }
    expect(wrong).toEqual([]);
  });
});
