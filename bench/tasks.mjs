// `npm run bench:tasks`: twelve outputs that somebody debugs with, and what a reader can answer from what it is shown of them. A scripted reader
// (tasks-reader.mjs) answers the questions of tasks-questions.mjs by fixed rules, so a wrong answer is one that the shown text led to.
// `--answers` prints what was answered wrongly or not at all, `--texts NAME` what is shown, `--write` puts the table into docs/filters.md.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { countTokens } from "gpt-tokenizer";
import { TASKS } from "./tasks-questions.mjs";
import { judge } from "./tasks-reader.mjs";
import { waysToShow, workerLog } from "./tasks-ways.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values: options } = parseArgs({
  options: { answers: { type: "boolean" }, texts: { type: "string" }, write: { type: "boolean" } },
});

const LOG = "worker-log";
const tasks = TASKS.map((task) => ({ ...task, name: task.recorded ?? LOG, output: outputOf(task) }));
checkQuestions();
const rows = waysToShow().map(([way, show]) => ({ way, ...sumOf(tasks.map((task) => judged(task, way, show(task.output)))) }));
const asked = tasks.reduce((sum, { questions }) => sum + questions.length, 0);
print(`${tasks.length} tasks, ${asked} questions`);
print(`${"".padEnd(34)}${"tokens".padStart(9)}${"no log".padStart(9)}${"right".padStart(7)}${"wrong".padStart(7)}${"missing".padStart(9)}`);
for (const { way, tokens, shorter, right, wrong, missing } of rows)
  print(
    `${way.padEnd(34)}${String(tokens).padStart(9)}${String(shorter).padStart(9)}${String(right).padStart(7)}${String(wrong).padStart(7)}${String(missing).padStart(9)}`,
  );
if (options.write) write();
if (rows[0].wrong > 0) process.exitCode = 1;

function outputOf({ recorded, command }) {
  if (recorded === null) return { command, raw: workerLog(), exitCode: 0 };
  const read = (file) => readFileSync(`${root}test/golden/recorded/${recorded}/${file}`, "utf8");
  return { command: read("cmd").trimEnd(), raw: read("raw"), exitCode: Number(read("exit")) };
}

/** A rule that does not find the answer in the whole text is a broken rule. */
function checkQuestions() {
  for (const { name, output, ...task } of tasks) {
    const { wrong, missing } = judge(output.raw, task);
    for (const { ask, expect, got } of [...wrong, ...missing])
      throw new Error(`${name}: "${ask}" reads ${JSON.stringify(got)} in the raw text, not ${JSON.stringify(expect)}`);
  }
}

function judged({ name, ...task }, way, text) {
  const { right, wrong, missing } = judge(text, task);
  if (options.texts === name) print(`\n===== ${way}\n${text.slice(0, 20_000)}`);
  if (options.answers)
    for (const { ask, expect, got } of [...wrong, ...missing])
      print(`${way}, ${name}: "${ask}" ${got === null ? "no answer" : JSON.stringify(got)}, not ${JSON.stringify(expect)}`);
  const tokens = countTokens(text);
  // One log is longer than everything else together.
  return { tokens, shorter: name === LOG ? 0 : tokens, right, wrong: wrong.length, missing: missing.length };
}

function sumOf(parts) {
  const sum = (key) => parts.reduce((all, part) => all + part[key], 0);
  return { tokens: sum("tokens"), shorter: sum("shorter"), right: sum("right"), wrong: sum("wrong"), missing: sum("missing") };
}

function write() {
  const page = `${root}docs/filters.md`;
  const table = [
    `| ${tasks.length} tasks, ${asked} questions | Tokens | Without the log | Right | Wrong | Missing |`,
    "|---|---|---|---|---|---|",
    ...rows.map(
      ({ way, tokens, shorter, right, wrong, missing }) =>
        `| ${way} | ${tokens.toLocaleString("en")} | ${shorter.toLocaleString("en")} | ${right} | ${wrong} | ${missing} |`,
    ),
  ].join("\n");
  const [before, rest] = readFileSync(page, "utf8").split("<!-- bench:tasks -->\n");
  const after = rest.slice(rest.indexOf("<!-- /bench:tasks -->"));
  writeFileSync(page, `${before}<!-- bench:tasks -->\n\n${table}\n\n${after}`);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
