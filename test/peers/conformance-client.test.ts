import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { conformancePage, expected, type Run, scenarios } from "./conformance.ts";
import { runClients } from "./conformance-runs.ts";
import { havePeers } from "./peers.ts";

const list = expected().client!;

/** How the suite is told to run the scenarios of a revision. */
const RUNS: Record<string, readonly string[]> = {
  "2025-03-26": ["--suite", "backcompat"],
  "2025-11-25": ["--suite", "all", "--spec-version", "2025-11-25"],
  "2026-07-28": ["--suite", "all", "--spec-version", "2026-07-28"],
  extension: ["--suite", "extensions"],
};

describe.skipIf(!havePeers)("our client in the conformance suite", () => {
  const runs: Record<string, Run> = {};
  const folder = mkdtempSync(join(tmpdir(), "zeph-conformance-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    for (const [revision, args] of Object.entries(RUNS)) runs[revision] = await runClients(args, folder);
  });

  it("is written down for every scenario and every revision that the suite has", () => {
    const written = Object.fromEntries(
      Object.entries(list).map(([name, { passes = [], fails = [] }]) => [name, [...passes, ...fails].sort()]),
    );
    expect(written).toEqual(scenarios("client"));
    expect(Object.entries(list).filter(([, { fails, note }]) => fails && !note)).toEqual([]);
  });

  it.each(Object.keys(RUNS))("passes what is written down for %s, and nothing besides", (revision) => {
    const { passed, said } = runs[revision]!;
    const written = Object.entries(list).filter(([, { passes }]) => passes?.includes(revision));
    expect(written.length).toBeGreaterThan(0);
    const failed = written.filter(([name]) => passed[name] !== true).map(([name]) => name);
    expect(failed, said).toEqual([]);
    const surprises = Object.keys(passed).filter((name) => passed[name] && !list[name]?.passes?.includes(revision));
    expect(surprises).toEqual([]);
  });
});

it("docs/mcp-conformance.md is what conformance.json says", () => {
  const file = join(import.meta.dirname, "../../docs/mcp-conformance.md");
  const made = conformancePage(readFileSync(file, "utf8"));
  if (process.env.UPDATE) writeFileSync(file, made);
  expect(readFileSync(file, "utf8")).toBe(made);
});
