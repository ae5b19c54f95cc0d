import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { answerText } from "../../src/core/answer.ts";
import { type Setup, workspace } from "../workspace.ts";
import { cases, snake } from "./cases.ts";

interface Expected {
  outcome: "ok" | "deny" | "error" | "no-leak";
  category_any_of?: string[];
  result_must_not_contain?: string[];
  post?: string[];
}
interface Case {
  id: string;
  class: string;
  kind: "case" | "stress";
  why: string;
  input: { setup: Setup[]; config: Record<string, string[]>; call: { tool: string; args: Record<string, unknown> } };
  expected: Expected | "ambiguous";
}

const all = cases<Case>("paths.jsonl").filter(({ kind, expected }) => kind === "case" && expected !== "ambiguous");

it("there are cases to run", () => expect(all.length).toBeGreaterThan(60));

describe.each(all)("$id $class: $why", ({ input, expected }) => {
  it("holds", async () => {
    const { outcome: wanted, category_any_of = [], result_must_not_contain = [], post = [] } = expected as Expected;
    const place = workspace(input.setup);
    const fill = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll("$T", place.T));
    const before = snapshot(place.T, input.setup);
    const zeph = await place.runtime({ file: fill(input.config) });
    try {
      const rss = process.memoryUsage().rss;
      const started = performance.now();
      const outcome = await zeph.call(input.call.tool, fill(input.call.args));
      const seconds = (performance.now() - started) / 1000;
      const text = answerText(outcome) + JSON.stringify(outcome);

      if (wanted === "ok") expect(outcome).toMatchObject({ ok: true });
      if (wanted === "deny" || wanted === "error") expect(outcome.ok).toBe(false);
      if (!outcome.ok && category_any_of.length > 0) expect(category_any_of.map(snake)).toContain(outcome.error.category);
      if (wanted === "deny" && category_any_of.join() === "PolicyBlocked")
        expect(await zeph.judge(input.call.tool, fill(input.call.args))).toMatchObject({ verdict: "deny", gate: "files" });
      for (const secret of result_must_not_contain) expect(text).not.toContain(secret);
      for (const claim of post) holds(fill(claim), { text, seconds, before, grown: process.memoryUsage().rss - rss });
    } finally {
      await zeph.close();
      place.remove();
    }
  });
});

interface After {
  text: string;
  seconds: number;
  grown: number;
  before: ReadonlyMap<string, string>;
}

/** The claims of the cases are sentences; one that is not understood fails, so that none is passed over. */
function holds(claim: string, { text, seconds, grown, before }: After): void {
  const link = /^(\S+) (?:is )?absent or a symlink$/.exec(claim);
  const gone = /^(\S+) absent$/.exec(claim);
  const there = /^(\S+) exists$/.exec(claim);
  const same = /^(\S+) unchanged$/.exec(claim);
  const within = /^call returns within (\d+) s$/.exec(claim);
  const tree = /^no regular file named (\S+) under (\S+)$/.exec(claim);
  const loop = /^no (\S+) directory tree copied as real files$/.exec(claim);
  const memory = /^RSS growth < (\d+) MiB$/.exec(claim);
  const contains = /^result contains (\S+)$/.exec(claim);
  if (link) expect(lstatSync(link[1]!, { throwIfNoEntry: false })?.isSymbolicLink() ?? true).toBe(true);
  else if (gone) expect(lstatSync(gone[1]!, { throwIfNoEntry: false })).toBeUndefined();
  else if (there) expect(existsSync(there[1]!)).toBe(true);
  else if (same) expect(readFileSync(same[1]!, "utf8")).toBe(before.get(same[1]!));
  else if (within) expect(seconds).toBeLessThan(Number(within[1]));
  else if (tree) expect(regularFiles(tree[2]!).filter((name) => name.endsWith(`/${tree[1]}`))).toEqual([]);
  else if (loop) expect(lstatSync(loop[1]!.replace(/\/[^/]+$/, ""), { throwIfNoEntry: false })?.isDirectory() ?? false).toBe(false);
  else if (memory) expect(grown).toBeLessThan(Number(memory[1]) * 1024 * 1024);
  else if (contains) expect(text).toContain(contains[1]);
  else expect.fail(`nobody understands the claim: ${claim}`);
}

const snapshot = (T: string, setup: readonly Setup[]): Map<string, string> =>
  new Map(setup.flatMap((step) => (step.op === "file" ? [[`${T}/${step.path}`, step.content] as const] : [])));

function regularFiles(folder: string): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? regularFiles(path) : entry.isFile() ? [path] : [];
  });
}
