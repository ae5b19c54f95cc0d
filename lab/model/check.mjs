// Tells whether a task was solved.
import { readFileSync, realpathSync } from "node:fs";
import { parseArgs } from "node:util";
import { LETTERS, taskOf } from "./tasks/index.mjs";

const USAGE = `usage: node lab/model/check.mjs <task> <folder> [file with the model's last words]

Tells whether one of the tasks ${LETTERS.join(", ")} was solved in that folder. Some ask for words, which are in the file.
The exit code is 0 if it was solved and 1 if not.`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
if (values.help || positionals.length < 2 || positionals.length > 3) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
const [letter, folder, words] = positionals;
const missing = taskOf(letter).check(realpathSync(folder), words === undefined ? "" : readFileSync(words, "utf8"));
console.log(missing.length === 0 ? `${letter} is solved` : `${letter} is not solved. It does not hold that ${missing.join("; that ")}.`);
process.exitCode = missing.length === 0 ? 0 : 1;
