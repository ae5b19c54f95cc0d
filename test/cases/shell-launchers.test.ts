import { describe, expect, it } from "vitest";
import { answer, type Policy } from "../shell/door.ts";
import { cases } from "./cases.ts";

interface Case {
  readonly id: string;
  readonly command: string;
  readonly expected: "not-allow";
}

const list = cases<Case>("shell-launchers.jsonl");
const rule = (pattern: string) => ({ pattern, action: "allow" as const });
/** The most permissive settings a person can write, and the ones they start with. */
const POLICIES: Record<string, Policy> = {
  "everything is allowed": { constructs: "look", rules: { bash: [rule("*")] } },
  "everything is allowed and substitutions are refused": { constructs: "block", rules: { bash: [rule("*")] } },
  "there are no rules and walls stand": { constructs: "look" },
};

describe("programs that start programs", () => {
  it.each(Object.keys(POLICIES))("none passes where %s", async (name) => {
    const passed: string[] = [];
    for (const { id, command } of list) if ((await answer(command, POLICIES[name])) === "allow") passed.push(`${id}: ${command}`);
    expect(list.length).toBeGreaterThan(15);
    expect(passed).toEqual([]);
  });
  it("none passes by a rule for its first word", async () => {
    const passed: string[] = [];
    for (const { id, command } of list) {
      const [program] = /^\S+/.exec(command)!;
      const rules = { bash: [rule(`${program} *`), rule("ls"), rule("eval *"), rule("shopt *")] };
      if ((await answer(command, { constructs: "look", rules })) === "allow") passed.push(`${id}: ${command}`);
    }
    expect(passed).toEqual([]);
  });
});
