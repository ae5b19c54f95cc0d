import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "..");
const guide = readFileSync(join(root, "docs/embedding.md"), "utf8");

/** The blocks of TypeScript of the page. A comment before one says what is there already, and is not shown to a reader. */
const snippets = [...guide.matchAll(/(?:<!-- given: (.+) -->\n)?```ts\n([\s\S]*?)```/g)].map(
  ([, given = "", code]) => `${given};\n${code}\nexport {};\n`,
);

test("every block of code in docs/embedding.md compiles", () => {
  expect(guide).not.toMatch(/```(?:js|javascript|typescript)\n/);
  expect(snippets.length).toBeGreaterThan(15);
  expect(compile(snippets)).toEqual([]);
});

test("a program that knows what each tool takes and returns compiles, and one that is wrong about it does not", () => {
  expect(compile([readFileSync(join(root, "lab/consumers/types.ts"), "utf8")])).toEqual([]);
});

test("a misspelt tool is told in one line", () => {
  const program = `import type { Zeph } from "zeph";\nexport const call = (zeph: Zeph) => zeph.call("raed", { path: "a" });\n`;
  expect(compile([program])).toEqual([
    expect.stringMatching(/program-1\.ts\(2,47\): error TS\d+: Argument of type .*"raed".* is not assignable to .{0,120}$/),
  ]);
});

/** What the compiler says about the programs, as users of the built package have it. */
function compile(programs: readonly string[]): string[] {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "zeph-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [n, code] of programs.entries()) writeFileSync(join(folder, `program-${n + 1}.ts`), code);
  const paths = { zeph: [join(root, "dist/lib/index.d.ts")], "zeph/*": [join(root, "dist/lib/*.d.ts")] };
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "esnext.disposable"],
    module: "nodenext",
    moduleDetection: "force",
    types: ["node"],
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    paths,
  };
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const { stdout, status } = spawnSync(process.execPath, [join(root, "node_modules/.bin/tsc"), "-p", folder], { encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line !== "");
  expect(status === 0).toBe(lines.length === 0);
  return lines;
}
