import type { FilterDesk } from "../../../runtime/filter/standalone-filter.ts";
import { visible } from "../../../text/visible.ts";
import { UsageError } from "../io.ts";
import { jsonLine, warn } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type CheckedExample, checkExample } from "./check.ts";
import { readExamples } from "./examples.ts";

/** `zeph filter test <rules.toml>`: the person's rules against the examples beside them. 1 when one fails or a rule is no good. */
export function testRules([file, ...more]: readonly string[], form: "text" | "json") {
  if (file === undefined || more.length > 0) throw new UsageError("Name one file of rules: zeph filter test <rules.toml> [--json]");
  return async (desk: FilterDesk, terminal: Terminal): Promise<number> => {
    const { text, examples } = readExamples(file);
    const trial = desk.trial({ name: file, text });
    const checked = examples.map((example) => checkExample(example, trial));
    const mine = trial.rules.filter(({ origin }) => origin === "user").map(({ name }) => name);
    const report = { checked, warnings: trial.warnings, untested: mine.filter((name) => !examples.some(({ rule }) => rule === name)) };
    if (form === "json") terminal.stdout.write(jsonLine(asJson(file, report)));
    else print(file, report, terminal);
    return report.warnings.length > 0 || checked.some(({ problems }) => problems.length > 0) ? 1 : 0;
  };
}

interface Report {
  readonly checked: readonly CheckedExample[];
  /** Mistakes in rules, each with file, line and name. */
  readonly warnings: readonly string[];
  readonly untested: readonly string[];
}

function print(file: string, { checked, warnings, untested }: Report, terminal: Terminal): void {
  const { stdout, out } = terminal;
  for (const { example, problems, remarks } of checked) {
    const word = problems.length === 0 ? out.green("ok    ") : out.red("failed");
    stdout.write(`${word}  ${visible(`${example.rule}: ${example.command}`)}  ${out.dim(visible(`${file}:${example.line}`))}\n`);
    for (const { what, diff } of problems) stdout.write(`        ${visible(what)}\n${diff === undefined ? "" : coloured(diff, terminal)}`);
    for (const remark of remarks) stdout.write(`        ${out.yellow(visible(remark))}\n`);
  }
  for (const warning of warnings) warn(terminal, warning);
  const failed = checked.filter(({ problems }) => problems.length > 0).length;
  const counts = [
    `${checked.length - failed} of ${checked.length} examples ok`,
    ...(warnings.length > 0 ? [`${warnings.length} warnings`] : []),
  ];
  stdout.write(`${counts.join(", ")}.${untested.length > 0 ? ` Without an example: ${visible(untested.join(", "))}.` : ""}\n`);
}

const COLOURS: Readonly<Record<string, "red" | "green">> = { "-": "red", "+": "green" };

const coloured = (diff: readonly string[], { out }: Terminal): string =>
  diff
    .map((line) => {
      const colour = COLOURS[line[0]!];
      return `        ${colour ? out[colour](visible(line)) : visible(line)}\n`;
    })
    .join("");

const asJson = (file: string, { checked, warnings, untested }: Report): object => ({
  file,
  ok: warnings.length === 0 && checked.every(({ problems }) => problems.length === 0),
  examples: checked.map(({ example: { rule, command, line }, problems, remarks, output }) => ({
    rule,
    command,
    line,
    ok: problems.length === 0,
    problems: problems.map(({ what, diff }) => ({ what, ...(diff && { diff }) })),
    remarks,
    text: output,
  })),
  warnings,
  untested,
});
