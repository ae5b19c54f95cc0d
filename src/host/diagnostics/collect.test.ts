import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { workspace } from "../../../test/workspace.ts";
import type { Finding } from "../../diagnostics/finding.ts";
import { createPathRules } from "../files/paths.ts";
import { collect } from "./collect.ts";

const finding = (file: string | null, line: number | null, more: Partial<Finding> = {}): Finding => ({
  severity: "error",
  message: "m",
  file,
  line,
  col: 1,
  ...more,
});

function place(deny_read: string[] = []) {
  const made = workspace(
    ["secret.ts", "a.ts", "sub/b.ts", "sub/deep/Cargo.toml"].map((path) => ({ op: "file", path: `work/${path}`, content: "" })),
  );
  onTestFinished(made.remove);
  const rules = createPathRules(made.work, { allowed_paths: [], deny_read, allow_read: [] });
  const all = (findings: readonly Finding[], { within = null as string | null, max = 50, folder = made.work } = {}) =>
    collect([{ source: "x", folder, findings }], { rules, within, max, signal: new AbortController().signal });
  return { ...made, rules, all };
}

it("the gravest come first, then by file, line and column; each once", async () => {
  const { all } = place();
  const { items, counts, total } = await all([
    finding("sub/b.ts", 2, { severity: "warning" }),
    finding("a.ts", 10),
    finding("a.ts", 9),
    finding("a.ts", 9),
    finding("./sub/../a.ts", 9),
    finding("a.ts", 9, { code: "other" }),
    finding("a.ts", 1, { severity: "info" }),
    finding(null, 7, { message: "none" }),
  ]);
  expect(items.map(({ severity, file, line, code }) => [severity, file, line, code])).toEqual([
    ["error", null, null, undefined],
    ["error", "a.ts", 9, undefined],
    ["error", "a.ts", 9, "other"],
    ["error", "a.ts", 10, undefined],
    ["warning", "sub/b.ts", 2, undefined],
    ["info", "a.ts", 1, undefined],
  ]);
  expect([counts, total]).toEqual([{ error: 4, warning: 1, info: 1 }, 6]);
});

it("of many, the gravest are kept and all are counted", async () => {
  const { all } = place();
  const many = Array.from({ length: 100_000 }, (_, n) => finding("a.ts", n + 1, { severity: n === 99_999 ? "error" : "warning" }));
  const { items, total, counts } = await all(many, { max: 2 });
  expect(items.map(({ line }) => line)).toEqual([100_000, 1]);
  expect([total, counts.warning]).toEqual([100_000, 99_999]);
});

it("a file that may not be read is counted and not named, whatever way leads to it", async () => {
  const { all, work } = place(["secret.ts"]);
  symlinkSync("secret.ts", join(work, "link.ts"));
  const found = await all([
    finding("secret.ts", 1),
    finding("link.ts", 2),
    finding(join(work, "secret.ts"), 3),
    finding("/proc/self/environ", 1),
    finding("a.ts", 1),
  ]);
  expect(found.items.map(({ file }) => file)).toEqual(["a.ts"]);
  expect(found.warnings).toEqual([expect.stringContaining("4 findings in files that may not be read")]);
  expect(JSON.stringify(found)).not.toContain("secret");
});

it("a path is looked for from the folder of the program upward, never above the workspace", async () => {
  const { all, work } = place();
  const { items } = await all([finding("sub/b.ts", 1), finding("nowhere.ts", 1)], { folder: join(work, "sub", "deep") });
  expect(items.map(({ file }) => file)).toEqual(["sub/b.ts", "sub/deep/nowhere.ts"]);
});

it("what lies outside of the asked path is counted; what has no file is shown", async () => {
  const { all, work } = place();
  const { items, warnings, total } = await all([finding("sub/b.ts", 1), finding("a.ts", 1), finding("a.ts", 1), finding(null, null)], {
    within: join(work, "sub"),
  });
  expect(items.map(({ file }) => file)).toEqual([null, "sub/b.ts"]);
  expect([total, warnings]).toEqual([2, ["1 finding outside of sub not shown"]]);
});

it("messages carry no control characters and have an end", async () => {
  const { all } = place();
  const { items } = await all([finding("a.ts", 1, { message: `\x1b[31mred\x1b[0m\x07\x1b]0;title\x07 ${"x".repeat(5000)}` })]);
  expect(items[0]!.message).toMatch(/^red x+…$/);
  expect(items[0]!.message.length).toBeLessThan(1010);
});

it("a long list can be cancelled", async () => {
  const { rules } = place();
  const findings = Array.from({ length: 100_000 }, (_, n) => finding("a.ts", n + 1));
  await expect(
    collect([{ source: "x", folder: "/", findings }], { rules, within: null, max: 1, signal: AbortSignal.abort() }),
  ).rejects.toThrow();
});
