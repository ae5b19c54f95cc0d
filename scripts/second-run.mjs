// Runs the tests, and the files of the few that failed once more, alone: docs/decisions.md says why. What failed is told at the end either way.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

/** More than that is no bad luck. */
const MOST_FILES = 3;
const MOST_SHOWN = 10;
const MOST_CHARS = 300;

/** `run` starts vitest with these words and variables, and resolves to its exit code. `words` are those of the first run only. Resolves to the exit code of both. */
export async function runWithSecondChance(run, words = [], say = (text) => process.stdout.write(text)) {
  const folder = mkdtempSync(join(tmpdir(), "zeph-verdict-"));
  const runOnce = async (name, args) => {
    const VERDICT_FILE = join(folder, name);
    return { code: await run(args, { VERDICT_FILE }), verdict: readVerdict(VERDICT_FILE) };
  };
  try {
    const first = await runOnce("first", words);
    if (first.code === 0 || !isWorthRepeating(first.verdict)) return first.code;
    const failed = failedFiles(first.verdict);
    say(`\n${count(failed.length, "file")} failed. Once more, alone:\n`);
    const second = await runOnce("second", ["--no-file-parallelism", ...failed.map(({ file }) => file)]);
    const hasPassed = second.code === 0 && failed.every((one) => isRunAgain(one, second.verdict));
    const passed = first.verdict.files.reduce((sum, one) => sum + one.passed, 0);
    const failures = failed.flatMap((one) => one.failed).length;
    const how = hasPassed ? "failed once and passed alone" : "failed the first time, and not all of their files passed alone";
    say(`\n${count(passed, "test")} passed at once. ${count(failures, "test")} ${how}:\n${listFailures(failed)}`);
    return hasPassed ? 0 : second.code || 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Nothing is written where vitest itself came to an end. */
function readVerdict(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return { hasCrashed: true, files: [] };
  }
}

const failedFiles = ({ files }) => files.filter((one) => one.failed.length > 0);

function isWorthRepeating(verdict) {
  const { length } = failedFiles(verdict);
  return !verdict.hasCrashed && length > 0 && length <= MOST_FILES;
}

/** A test that failed must not be skipped the second time. */
function isRunAgain({ file, skipped }, { files }) {
  const after = files.find((one) => one.file === file);
  return after !== undefined && after.skipped <= skipped;
}

function listFailures(files) {
  const lines = files.flatMap(({ file, failed }) =>
    failed.map(({ name, message }) => `  ${relative("", file)} > ${name}: ${firstLine(message)}\n`),
  );
  const more = lines.length - MOST_SHOWN;
  return lines.slice(0, MOST_SHOWN).join("") + (more > 0 ? `  and ${more} more\n` : "");
}

const firstLine = (message) => stripVTControlCharacters(message).trim().split("\n")[0].slice(0, MOST_CHARS);

const count = (many, thing) => `${many} ${thing}${many === 1 ? "" : "s"}`;
