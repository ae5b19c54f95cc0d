// Lays out a task in a new folder and prints what to ask the model.
import { mkdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { LETTERS, taskOf } from "./tasks/index.mjs";

const USAGE = `usage: node lab/model/lay.mjs <task> <new folder>

Lays out one of the tasks ${LETTERS.join(", ")} and prints what to ask the model.
The sources come from npm packages: installed ones, or ones that npm fetches once.`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
if (values.help || positionals.length !== 2) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
const [letter, folder] = positionals;
const task = taskOf(letter);
mkdirSync(path.dirname(path.resolve(folder)), { recursive: true });
mkdirSync(folder);
task.lay(realpathSync(folder));
console.log(task.ask);
