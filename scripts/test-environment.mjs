// The environment of a test run: a short temporary folder, an empty home folder, a fixed locale, and none of the person's own settings.
// The folder is removed at the end. What tests left in it is named.
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MAX_NAMES = 20;
/** The path of a Unix socket has at most 104 bytes, and tests need most of them. */
const MAX_BASE_LENGTH = 24;
/** Variables that tests see: what finds and starts programs, and switches of the tests. Everything else is the person's own (prompt, locale, keys, settings of git and editors). */
const PASSED =
  /^(?:PATH|PATHEXT|SYSTEMROOT|USER|LOGNAME|CI|NODE_ENV|NODE_EXTRA_CA_CERTS|VITEST\w*|TEST|npm_config_\w+|CHROMIUM|REQUIRE_SANDBOX|WALLS_BUILDER|UPDATE|SEED|SCORES|ROUNDS|KILLS|SESSIONS|CALLS|FLEET_TABLE|FILTER_CASES)$/i;

export function setup() {
  const before = { ...process.env };
  const base = tmpdir().length <= MAX_BASE_LENGTH ? tmpdir() : "/tmp";
  const folder = mkdtempSync(join(base, "zt-"));
  // Some tests start programs as another user, who has to reach the files below.
  chmodSync(folder, 0o755);
  const home = join(folder, "home");
  mkdirSync(home);
  for (const name of Object.keys(process.env)) if (!PASSED.test(name)) delete process.env[name];
  // test/setup.ts makes a folder for each worker in RUN_TMPDIR.
  Object.assign(process.env, { TMPDIR: folder, RUN_TMPDIR: folder, HOME: home, SHELL: "/bin/sh", TERM: "xterm-256color", LANG: "C.UTF-8" });
  return async () => {
    const left = await waitUntilEmpty(folder);
    const named = left.flatMap((name) => [name, ...filesBelow(join(folder, name))]);
    rmSync(folder, { recursive: true, force: true });
    for (const name of Object.keys(process.env)) if (before[name] === undefined) delete process.env[name];
    Object.assign(process.env, before);
    if (left.length === 0) return;
    // vitest prints the error and ends with 0. Where something is missing, files are skipped together with their hooks, and that is no failure.
    if (process.env.REQUIRE_SANDBOX === "1") process.exitCode = 1;
    const names = named.slice(0, MAX_NAMES).join("\n  ");
    throw new Error(`Tests left ${left.length} entries in the temporary folder:\n  ${names}`);
  };
}

/** What is in it says whose it is. */
function filesBelow(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path, { recursive: true }).map((name) => `  ${name}`) : [];
}

/** Folders that Zeph makes for the life of a process and, after a kill, removes at its next start. vitest kills workers half a second after it told them to end. */
const OF_A_PROCESS = /\/zeph-\w+-\d+-\d+-\d+-\w+$/;

/** Processes that were told to end take a moment to remove their folders. A folder that files of one worker share lives as long as the run. */
async function waitUntilEmpty(folder) {
  const entries = () =>
    readdirSync(folder)
      .filter((name) => name !== "home")
      .flatMap((name) => (/^w\d+$/.test(name) ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`) : [name]))
      .filter((name) => !/(?:^|\/)shared-/.test(name) && !OF_A_PROCESS.test(name));
  for (let tries = 0; tries < 50 && entries().length > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 100));
  return entries().map((name) => `${name}${lstatSync(join(folder, name)).isDirectory() ? "/" : ""}`);
}
