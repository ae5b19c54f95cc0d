import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { filterText } from "../../../src/filters/filter.ts";
import { builtInRules } from "../../../src/filters/rules.ts";
import { sanitise } from "../../../src/filters/sanitise.ts";

// What package managers and infrastructure tools printed, and what must never go with their noise.
const root = join(import.meta.dirname, "../../..");
const ours = new Set(["packages.toml", "infra.toml"].flatMap(namesIn));
const rules = builtInRules().filter(({ name }) => ours.has(name));
const golden = join(root, "test/golden/filters");
const samples = readdirSync(golden)
  .filter((rule) => ours.has(rule))
  .flatMap((rule) => readdirSync(join(golden, rule)).map((name) => ({ name: `${rule}/${name}`, ...read(join(golden, rule, name)) })));
const shown = ({ command, raw, exitCode }: (typeof samples)[number]) => filterText({ command, raw, exitCode }, rules).text;

function namesIn(file: string): string[] {
  const { rules } = parse(readFileSync(join(root, "src/filters/rules", file), "utf8"));
  return (rules as { name: string }[]).map(({ name }) => name);
}

function read(folder: string) {
  const of = (file: string) => readFileSync(join(folder, file), "utf8");
  return { command: of("cmd").trimEnd(), exitCode: Number(of("exit")), raw: of("raw") };
}

describe("noise takes nothing with it", () => {
  const ERRORS = [
    "ERROR: disk full",
    "error: cannot write to /var/lib/thing",
    "fatal: unable to reach the mirror",
    "    Error: ENOSPC: no space left on device, write",
    "npm error code EINTEGRITY",
    "npm ERR! sha512-AAA integrity checksum failed when using sha512",
    "E: Failed to fetch some index files",
    "[ERROR] Could not transfer artifact org.acme:ledger",
    " ERR_PNPM_NO_MATCHING_VERSION  No matching version found for ledger@9",
    "➤ YN0001: │ Error: ledger@npm:9: No candidates found",
    "#12 ERROR: failed to copy: write /srv/out: no space left on device",
    "│ Error: Provider produced inconsistent result after apply",
    "  Warning  Failed  2m  kubelet  Error: ImagePullBackOff",
    "* Recv failure: Connection reset by peer",
    "curl: (56) Recv failure: Connection reset by peer",
  ];
  const said = (error: string) => error.replace(/^(?:npm (?:error|ERR!)|➤|│|#\d+| )+ ?/, "").replace(/YN0001: │ /, "");

  it.each(samples)("an error anywhere in $name is shown", (sample) => {
    const lines = sample.raw.split("\n");
    const step = Math.ceil(lines.length / MOST_PLACES);
    for (let at = 0; at <= lines.length; at += step) {
      const error = ERRORS[(at * 7) % ERRORS.length]!;
      const text = shown({ ...sample, raw: [...lines.slice(0, at), error, ...lines.slice(at)].join("\n") });
      expect(flat(text)).toContain(flat(said(error)));
    }
  });

  const MOST_PLACES = 120;
  const flat = (text: string) => text.replace(/\s+/g, " ").trim();

  const SPEAKS_OF_A_FAILURE =
    /^\s*(?:npm (?:error|ERR!)|error\b|ERROR\b|E: |ERR_PNPM|fatal|× |➤ YN(?:0001|0002|0027|0028|0035|0060): )|unmet peer|incorrect peer|requires a peer|does not satisfy|depends on /;
  const PACKAGE = /(?:@[\w.-]+\/)?[\w.-]+@(?:npm:)?(?:[\^~]?\d[\w.+-]*|unknown|latest|\*)|[\w.-]+==[\d.]+/g;

  it.each(samples)("every package that an error of $name speaks of is shown", (sample) => {
    const text = shown(sample);
    const failures = sanitise(sample.raw).filter(
      (line) => SPEAKS_OF_A_FAILURE.test(line) && !/_logs\/|node_modules\/.*:\d+:\d+/.test(line),
    );
    expect(failures.flatMap((line) => line.match(PACKAGE) ?? []).filter((name) => !text.includes(name))).toEqual([]);
  });

  it("there is something to look at", () => {
    expect(samples.length).toBeGreaterThan(100);
    expect(samples.filter(({ raw }) => raw.split("\n").some((line) => SPEAKS_OF_A_FAILURE.test(line))).length).toBeGreaterThan(25);
  });
});

it("cargo update: every crate that changed, and what changed", () => {
  const raw = [
    `    Updating ${["crates", "io"].join(".")} index`,
    "     Locking 3 packages to latest compatible versions",
    "      Adding hashbrown v0.15.1",
    "    Updating serde v1.0.210 -> v1.0.215 (available: v2.0.0)",
    "    Removing winapi v0.3.9",
    "note: pass `--verbose` to see 14 unchanged dependencies behind latest",
  ].join("\n");
  expect(shown({ name: "", command: "cargo update", exitCode: 0, raw })).toBe(
    [
      "     Locking 3 packages to latest compatible versions",
      " Adding hashbrown v0.15.1, Updating serde v1.0.210 -> v1.0.215, Removing winapi v0.3.9",
      "[-3 lines]",
    ].join("\n"),
  );
});
