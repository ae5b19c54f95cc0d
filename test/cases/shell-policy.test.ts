import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { answer, type Policy } from "../shell/door.ts";
import { cases } from "./cases.ts";

type Expected = "block" | "deny" | "ask" | "allow" | "not-allow" | "ambiguous";
interface Case {
  readonly id: string;
  readonly class: string;
  readonly input: { readonly command: string; readonly policy: string };
  readonly expected: Expected;
  readonly expected_under_P2?: Expected;
  readonly tier: "seed" | "linked-doc" | "hardening";
}

const { policies } = JSON.parse(readFileSync(new URL("shell-policy.policy.json", import.meta.url), "utf8")) as {
  policies: Record<string, readonly [string, "allow" | "ask" | "deny"][]>;
};
const policy = (name: string): Policy => ({ rules: { bash: policies[name]!.map(([pattern, action]) => ({ pattern, action })) } });

interface Result {
  readonly id: string;
  readonly tier: string;
  readonly command: string;
  readonly expected: Expected;
  readonly got: string;
  readonly right: boolean;
}

const judge = async (tier: string, id: string, command: string, name: string, expected: Expected): Promise<Result> => {
  const got = await answer(command, policy(name));
  return { id: `${id}/${name}`, tier, command, expected, got, right: expected === "not-allow" ? got !== "allow" : got === expected };
};

const all = await Promise.all(
  cases<Case>("shell-policy.jsonl").flatMap(({ id, tier, input, expected, expected_under_P2 = "ambiguous" }) => [
    ...(expected === "ambiguous" ? [] : [judge(tier, id, input.command, input.policy, expected)]),
    ...(expected_under_P2 === "ambiguous" ? [] : [judge(tier, id, input.command, "P2", expected_under_P2)]),
  ]),
);
const wrong = (list: readonly Result[]) =>
  list.filter(({ right }) => !right).map(({ id, command, expected, got }) => `${id} ${expected} ≠ ${got}: ${command}`);

describe("shell policy cases", () => {
  it.each(["seed", "linked-doc"])("every %s case", (tier) => {
    const list = all.filter((result) => result.tier === tier);
    expect(list.length).toBeGreaterThan(0);
    expect(wrong(list)).toEqual([]);
  });
  it("at least 95 % of the hardening cases", () => {
    const list = all.filter(({ tier }) => tier === "hardening");
    expect(list.length).toBeGreaterThan(0);
    expect(wrong(list).length / list.length, wrong(list).join("\n")).toBeLessThanOrEqual(0.05);
  });
  it("no harmless command is refused", () => {
    const benign = all.filter(({ expected }) => expected === "allow" || expected === "ask");
    expect(benign.length).toBeGreaterThan(50);
    expect(benign.filter(({ got }) => got === "block" || got === "deny").map(({ id, command }) => `${id}: ${command}`)).toEqual([]);
  });
  it.runIf(process.env.SCORES)("scores", () => {
    for (const tier of ["seed", "linked-doc", "hardening"]) {
      const list = all.filter((result) => result.tier === tier);
      console.log(tier, `${list.length - wrong(list).length}/${list.length}`, wrong(list));
    }
  });
});
