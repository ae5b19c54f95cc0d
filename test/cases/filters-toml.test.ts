import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ConfigError } from "../../src/config/problem.ts";
import { createRuntime, filterOutput } from "../../src/index.ts";
import { cpuMs } from "../cpu.ts";
import { type Workspace, workspace } from "../workspace.ts";
import { cases } from "./cases.ts";

interface Case {
  id: string;
  file: "filters.toml" | "config.toml";
  input: { toml?: string; generate?: string };
  expected: string;
  recommended?: string;
  why: string;
}

const all = cases<Case>("filters-toml.jsonl");

const GOOD =
  '[[rules]]\nname = "good"\nmatch = { prefix = "make" }\nstrategy = { type = "truncate", max_lines = 80, head = 15, tail = 15 }\n';
const MIB = 1024 * 1024;

/** What a case describes in words. null: there is no text, the file itself is odd. */
const MADE: Record<string, () => string | null> = {
  "toml-050": () => `${GOOD}#${"x".repeat(MIB)}`,
  "toml-051": () => `${GOOD}#${"x".repeat(MIB - GOOD.length - 1)}`,
  "toml-052": () =>
    `${GOOD}${Array.from({ length: 10_000 }, (_, n) => `[[rules]]\nname="r${n}"\nmatch={exact="c${n}"}\nstrategy={type="dedup"}\n`).join("")}`,
  "toml-057": () => null,
};

/** Where the cases leave it open: what we do. */
const DECIDED: Record<string, string> = {
  "toml-024": "skip-rule-with-warning",
  "toml-026": "load",
  "toml-029": "load",
  "toml-059": "load",
  "toml-061": "fallback-to-defaults-with-warning",
  "toml-074": "startup-error-with-location",
  "toml-090": "startup-error-with-location",
  "toml-092": "load",
};

const LINES = Array.from({ length: 200 }, (_, n) => `line ${n} of what make has to say`).join("\n");
const steps = (toml: string, command: string) =>
  filterOutput({ command, raw: `${LINES}\n`, exitCode: 0, filters: { rules_toml: toml } }).steps.map(({ rule }) => rule);

let place: Workspace;
beforeAll(() => {
  place = workspace();
});
afterAll(() => place.remove());

/** Through the file a person's configuration names. */
async function warningsOfFile(toml: string | null): Promise<readonly string[]> {
  const file = join(place.T, "filters.toml");
  execFileSync("rm", ["-f", file]);
  if (toml === null) execFileSync("mkfifo", [file]);
  else writeFileSync(file, toml);
  const zeph = await place.runtime({
    config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { filters: { filters_path: file } } },
  });
  await zeph.close();
  return zeph.warnings;
}

describe.each(all.filter(({ file }) => file === "filters.toml"))("$id filters.toml: $why", ({ id, input, expected }) => {
  const made = MADE[id];
  const toml = made ? made() : input.toml!;
  const wanted = DECIDED[id] ?? expected;

  it("is told as it should be, as text and as a file", async () => {
    const given = toml === null ? null : filterOutput({ command: "make", raw: "", exitCode: 0, filters: { rules_toml: toml } }).warnings;
    const fromFile = await warningsOfFile(toml);
    for (const warnings of given === null ? [fromFile] : [given, fromFile]) {
      expect(warnings).toHaveLength(wanted === "load" ? 0 : 1);
      if (wanted === "skip-rule-with-warning")
        expect(warnings[0]).toMatch(/(?:rules_toml|filters\.toml):6: rule "(?:bad|number 2)" is skipped: /);
      if (wanted === "fallback-to-defaults-with-warning")
        expect(warnings[0]).toMatch(/(?:rules_toml|filters\.toml).*The built-in rules are used\.$/s);
      if (toml !== null && /syntax error|64 bit/.test(JSON.stringify(all.find((one) => one.id === id)!.why)))
        expect(warnings[0]).toMatch(/(?:rules_toml|filters\.toml):\d+:\d+: /);
      if (id === "toml-050") expect(warnings[0]).toMatch(/\b1048576\b/);
    }
  });

  if (toml === null) return;
  it("leaves the right rules in force", () => {
    const falls = wanted.startsWith("fallback");
    expect(steps(toml, "make").includes("good")).toBe(!falls);
    expect(steps(toml, "x").includes("bad")).toBe(wanted === "load" && toml.includes('"bad"'));
    expect(steps(toml, "git status")).toContain("git-status");
  });
});

it("10,000 rules are read in less than two seconds", async () => {
  const toml = MADE["toml-052"]!()!;
  expect(Buffer.byteLength(toml)).toBeLessThan(MIB);
  const started = cpuMs();
  await warningsOfFile(toml);
  expect(cpuMs() - started).toBeLessThan(4000);
  expect(steps(toml, "c9999")).toContain("r9999");
});

it("a bad rule does not bring back the built-in of its name", () => {
  const bad = '[[rules]]\nname = "git-status"\nmatch = { prefix = "git" }\nstrategy = { type = "nope" }\n';
  expect(steps(bad, "git status")).not.toContain("git-status");
});

describe.each(all.filter(({ file }) => file === "config.toml"))("$id config.toml: $why", ({ id, input, expected }) => {
  const wanted = DECIDED[id] ?? expected;
  const start = async () => {
    const config = join(place.T, "config.toml");
    writeFileSync(config, input.toml!);
    const zeph = await createRuntime({ cwd: place.work, config, store: "memory" });
    await zeph.close();
    return zeph;
  };
  const failure = async () => {
    const error = await start().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  };

  const CHECKS: Record<string, () => Promise<void>> = {
    "startup-error-with-location": async () =>
      expect(await failure()).toMatch(new RegExp(`${basename(place.T)}/config\\.toml:\\d+:\\d+: `)),
    load: async () => expect((await start()).warnings.filter((warning) => warning.includes("config.toml"))).toEqual([]),
    "skip-pattern-with-warning": async () => {
      expect((await start()).warnings.filter((warning) => warning.includes("[invalid"))).toHaveLength(1);
      const security = { extra_patterns: ["valid", "[invalid"] };
      const { text, warnings, secrets } = filterOutput({ command: "make", raw: "a valid word\n", exitCode: 0, filters: { security } });
      expect(warnings).toHaveLength(1);
      expect(secrets).toEqual([{ family: "custom" }]);
      expect(text).not.toContain("valid");
    },
  };
  it(wanted, CHECKS[wanted]);
});

it("every case that is left open is decided", () => {
  const open = all.filter(({ expected }) => expected === "ambiguous" || expected.includes("-or-")).map(({ id }) => id);
  expect(open.filter((id) => !(id in DECIDED))).toEqual([]);
});
