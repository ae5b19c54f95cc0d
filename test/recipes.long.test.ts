import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { LINES } from "./recipes/lines.ts";

const root = join(import.meta.dirname, "..");
/** `npm run check` alone takes two minutes where two cores do nothing else, and `npm run docs` a quarter of one. */
const LONGEST_MS = 20 * 60_000;

const copy = mkdtempSync(join(tmpdir(), "recipes-"));
// Some tests start programs as another user, who has to reach them.
chmodSync(copy, 0o755);
// Ten thousand entries are not removed in half a minute by a machine with other work to do.
afterAll(() => rmSync(copy, { recursive: true, force: true }), LONGEST_MS);

const git = (cwd: string, ...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 1 << 24 });
const keep = () => {
  git(copy, "add", "--all");
  git(copy, "-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "--no-verify", "--message", "kept");
};
const changed = (): string[] =>
  git(copy, "status", "--porcelain", "--untracked-files=all")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.slice(3))
    .sort();

/** The tree as git knows it, with the packages of this one, in a repository of its own. */
function makeCopy(): void {
  for (const file of git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0").filter(Boolean))
    cpSync(join(root, file), join(copy, file), { recursive: true, verbatimSymlinks: true });
  // A folder with links, so that caches of the copy are its own.
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== ".cache") symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  git(copy, "init", "--quiet");
  keep();
}

/** A command in the copy, as a person at a terminal would start it: nothing of this test run reaches it. */
async function run(program: string, ...args: string[]): Promise<{ readonly code: number | null; readonly out: string }> {
  const { PATH, HOME } = process.env;
  const child = spawn(program, args, { cwd: copy, env: { PATH, HOME, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  return { code, out: Buffer.concat(chunks).toString() };
}
const npm = (script: string) => run("npm", "run", script);
/** The end of what was printed stands in the failure. */
const expectGreen = ({ code, out }: Awaited<ReturnType<typeof run>>) => expect(code, out.slice(-8000)).toBe(0);

const RECIPES = Object.keys(LINES);
const samples = (recipe: string): string[] =>
  readdirSync(join(root, "test/recipes", recipe), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".txt"))
    .map((name) => name.slice(0, -".txt".length));

function writeFiles(recipe: string): void {
  for (const file of samples(recipe)) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), readFileSync(join(root, "test/recipes", recipe, `${file}.txt`)));
  }
}

function addLines(recipe: string): void {
  for (const { file, find, put } of LINES[recipe]!) {
    const parts = readFileSync(join(copy, file), "utf8").split(find);
    expect(parts, `${file}: ${find}`).toHaveLength(2);
    writeFileSync(join(copy, file), parts.join(put));
  }
}

/** What CONTRIBUTING.md says about a recipe: the files that a person writes or changes, and those that `npm run docs` changes. */
function readRecipe(recipe: string) {
  const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const section = page.split(`\n### A ${recipe.replaceAll("-", " ")}\n`)[1]!.split(/\n#/)[0]!;
  const [written, generated] = section.split("* `npm run docs` changes");
  const filesIn = (text: string) => [...text.matchAll(/`((?:src|test|docs)\/[\w./-]+|config\.schema\.json)`/g)].map(([, file]) => file!);
  return { written: filesIn(written!), generated: filesIn(generated!) };
}

/** Of a golden case every file is the test; elsewhere a test is a file of its own. */
const testOf = (recipe: string): string =>
  samples(recipe).some((file) => file.startsWith("test/golden/"))
    ? "test/golden.test.ts"
    : samples(recipe).find((file) => file.endsWith(".test.ts"))!;

describe("The recipes of CONTRIBUTING.md", () => {
  it("are these, and each has a test that fails while its lines are missing", { timeout: LONGEST_MS }, async () => {
    const headings = readFileSync(join(root, "CONTRIBUTING.md"), "utf8").matchAll(/^### A (.+)$/gm);
    expect([...headings].map(([, name]) => name!.replaceAll(" ", "-"))).toEqual(RECIPES);
    makeCopy();
    for (const recipe of RECIPES) writeFiles(recipe);
    const report = join(copy, "node_modules/report.json");
    const tests = RECIPES.map(testOf);
    const { out } = await run("node_modules/.bin/vitest", "run", "--reporter=json", `--outputFile=${report}`, ...tests);
    const { testResults } = JSON.parse(readFileSync(report, "utf8")) as { testResults: { name: string; status: string }[] };
    const red = testResults.filter(({ status }) => status === "failed").map(({ name }) => name.slice(copy.length + 1));
    expect(red.sort(), out.slice(-8000)).toEqual([...tests].sort());
    git(copy, "clean", "--quiet", "--force", "-d");
    expect(changed()).toEqual([]);
  });

  it.each(RECIPES)("a %s is the files that are named, and no other", { timeout: LONGEST_MS }, async (recipe) => {
    writeFiles(recipe);
    addLines(recipe);
    const { written, generated } = readRecipe(recipe);
    expect(changed()).toEqual([...written].sort());
    expectGreen(await npm("docs"));
    expect(changed()).toEqual([...written, ...generated].sort());
    keep();
  });

  it("leave check green when all six were followed; large files and folders are warnings", {
    timeout: LONGEST_MS,
  }, async () => {
    writeFileSync(join(copy, "src/text/long.ts"), `${"// A line.\n".repeat(400)}export const LINES = 401;\n`);
    const check = await npm("check");
    expectGreen(check);
    expect(check.out).toContain("warning: src/text/long.ts has 401 lines (more than 400)");
    expect(check.out).toMatch(/^warning: src\/tools holds \d+ files \(more than 30\)/m);
    const ran = RECIPES.map(testOf).filter((file) => file.startsWith("src/"));
    for (const file of [...ran, "test/layout.test.ts", "test/docs.test.ts"]) expect(check.out).toContain(`${file} (`);
    // Of the tests that check leaves out, those that say whether a filter rule and the settings of a gate are whole.
    expectGreen(await run("node_modules/.bin/vitest", "run", "--project", "system", "test/golden.test.ts", "test/reload.test.ts"));
  });
});
