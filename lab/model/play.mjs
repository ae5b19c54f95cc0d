// Plays a task once: lays it out in a fresh folder, opens the mailbox, starts Zeph or the bare loop, and tells at the end whether it was solved.
import { spawn } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { plainEnvironment } from "./kit.mjs";
import { costsOf, lettersOf, readLetters } from "./letters.mjs";
import { openMailbox } from "./mailbox.mjs";
import { LETTERS, taskOf } from "./tasks/index.mjs";

const USAGE = `usage: node lab/model/play.mjs <task> <bare|zeph> <new folder>

Plays one of the tasks ${LETTERS.join(", ")}. The folder gets project/ (the task), home/ (an empty home) and letters/.
Answer with answer.mjs <new folder>. At the end it is said whether the task was solved, and what it cost.`;

const root = fileURLToPath(new URL("../..", import.meta.url));
const WAYS = {
  bare: (ask) => [path.join(root, "lab/model/bare.mjs"), ask],
  zeph: (ask) => [path.join(root, "bin/zeph.cjs"), "run", "--yes", ask],
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
const [letter, way, folder] = positionals;
if (values.help || positionals.length !== 3 || WAYS[way] === undefined) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const task = taskOf(letter);
mkdirSync(path.dirname(path.resolve(folder)), { recursive: true });
mkdirSync(folder);
const game = realpathSync(folder);
const [project, home] = ["project", "home"].map((name) => path.join(game, name));
mkdirSync(project);
mkdirSync(home);
task.lay(project);

const mailbox = await openMailbox(lettersOf(game));
const env = { ...plainEnvironment(home), ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: `${mailbox.url}/v1` };
const child = spawn(process.execPath, WAYS[way](task.ask), { cwd: project, env, stdio: ["ignore", "inherit", "inherit"] });
const code = await new Promise((resolve) => child.on("close", resolve));
mailbox.close();

const said = readLetters(game).at(-1)?.answer?.text ?? "";
const missing = task.check(project, said);
const verdict = { task: letter, way, code, solved: missing.length === 0, missing, ...costsOf(game) };
writeFileSync(path.join(game, "verdict.json"), JSON.stringify(verdict, null, 1));
console.log(JSON.stringify(verdict));
