import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runWithSecondChance } from "../scripts/second-run.mjs";

const PASSES = 'test("passes", () => {});';
/** Fails until its marker is there, and sets it. */
const ONCE = `test("fails once", () => {
  const known = existsSync("marker");
  writeFileSync("marker", "");
  expect(known, "no marker").toBe(true);
});`;
const ALWAYS = 'test("fails", () => expect(1, "always wrong").toBe(2));';
const SKIPPED_LATER = ONCE.replace("() => {", '({ skip }) => {\n  if (existsSync("marker")) skip();');
const OUTSIDE = `test("leaves an error", async () => {
  setTimeout(() => { throw new Error("nobody waits for this"); }, 0);
  await new Promise((resolve) => setTimeout(resolve, 50));
});`;
const KILLS = 'test("kills", () => process.kill(Number(process.env.MAIN_PID), "SIGKILL"));';
const SET_UP = 'describe("group", () => { beforeAll(() => { expect(1, "no set-up").toBe(2); }); test("waits", () => {}); });';

describe("Tests with a second chance", () => {
  it("are green where what failed passes alone, and say what failed first", async () => {
    const { code, runs, said } = await tried({ good: PASSES, unlucky: `${PASSES}\n${ONCE}` });
    expect([code, runs]).toEqual([0, [[], ["--no-file-parallelism", expect.stringMatching(/\/unlucky\.test\.ts$/)]]]);
    expect(said).toMatch(/2 tests passed at once\. 1 test failed once and passed alone:\n.*unlucky\.test\.ts > fails once: no marker/);
  });

  it("are red where it fails again, and still say what failed first", async () => {
    const { code, runs, said } = await tried({ unlucky: ONCE, wrong: ALWAYS, group: SET_UP });
    expect([code, runs.length]).toEqual([1, 2]);
    expect(said).toMatch(/failed the first time, and not all of their files passed alone:/);
    for (const failure of ["unlucky.test.ts > fails once: no marker", "wrong.test.ts > fails: always wrong", "group: no set-up"])
      expect(said).toContain(failure);
  });

  it("are red where it is skipped the second time", async () => {
    expect(await tried({ unlucky: SKIPPED_LATER })).toMatchObject({ code: 1, runs: { length: 2 } });
  });

  it.each([
    ["more than three files fail", { a: ALWAYS, b: ALWAYS, c: ALWAYS, d: ONCE }],
    ["an error came from outside of all tests", { unlucky: ONCE, outside: OUTSIDE }],
    ["vitest itself comes to an end", { unlucky: ONCE, killer: KILLS }],
    ["vitest does not even start", { unlucky: ONCE, "vitest.config.ts": "throw new Error();" }],
  ])("are red at once where %s", async (_when, files) => {
    const { code, runs } = await tried(files);
    expect(code).not.toBe(0);
    expect(runs).toHaveLength(1);
  });
});

/** Runs vitest over files of these names and contents. */
async function tried(files: Record<string, string>) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-chance-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "node_modules"));
  for (const name of ["vitest", "vite"]) symlinkSync(resolve("node_modules", name), join(root, "node_modules", name));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(root, "vitest.config.ts"),
    `import { createVerdictReporter } from ${JSON.stringify(resolve("test/verdict-reporter.ts"))};
     process.env.MAIN_PID = String(process.pid);
     export default { test: { pool: "forks", maxWorkers: 2, reporters: ["default", createVerdictReporter(process.env.VERDICT_FILE)] } };`,
  );
  const head = `import { existsSync, writeFileSync } from "node:fs";\nimport { beforeAll, describe, expect, test } from "vitest";\n`;
  for (const [name, text] of Object.entries(files))
    if (name.includes(".")) writeFileSync(join(root, name), text);
    else writeFileSync(join(root, `${name}.test.ts`), head + text);
  const runs: string[][] = [];
  const run = async (args: string[], env: { VERDICT_FILE: string }) => {
    runs.push(args);
    // Nothing of the run that this test is a part of.
    const ours = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(?:VITEST|NODE_ENV|TEST$|DEV$|PROD$|MODE$)/.test(name)),
    );
    const child = spawn(process.execPath, [resolve("node_modules/.bin/vitest"), "run", ...args], {
      cwd: root,
      env: { ...ours, ...env, TMPDIR: root },
      stdio: "ignore",
    });
    const [code] = await once(child, "close");
    return (code as number | null) ?? 1;
  };
  let said = "";
  const code = await runWithSecondChance(run, [], (text) => {
    said += text;
  });
  return { code, runs, said };
}
