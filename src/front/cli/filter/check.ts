import { diffLines } from "diff";
import type { DeskOutput, Trial } from "../../../runtime/filter/standalone-filter.ts";
import type { Example } from "./examples.ts";

export interface CheckedExample {
  readonly example: Example;
  /** None: the example holds. */
  readonly problems: readonly CheckProblem[];
  /** Worth knowing, and no failure. */
  readonly remarks: readonly string[];
  /** The text for a model. */
  readonly output: string;
}

export interface CheckProblem {
  readonly what: string;
  /** `-` what was expected, `+` what came. */
  readonly diff?: readonly string[];
}

/** One example against the rules as they would be in force, and against the law every rule is under. */
export function checkExample(example: Example, trial: Trial): CheckedExample {
  const output = trial.filter(printed(example));
  const law = errorsSurvive(example, trial);
  const problems = [
    ...ruleSpoke(example, output, trial),
    ...asExpected(example, output),
    ...example.keeps.filter((part) => !output.text.includes(part)).map((part) => ({ what: `does not keep: ${part}` })),
    ...example.drops.filter((part) => output.text.includes(part)).map((part) => ({ what: `does not drop: ${part}` })),
    ...(output.text.length > example.input.length && output.secrets.length === 0 ? [{ what: "is longer than its input" }] : []),
    ...law.problems,
  ];
  return { example, problems, remarks: law.remarks, output: output.text };
}

const printed = ({ command, input, exitCode }: Example) => ({ command, raw: input, exitCode });

function ruleSpoke({ rule }: Example, { steps, forms }: DeskOutput, { rules }: Trial): CheckProblem[] {
  if (steps.some((step) => step.rule === rule)) return [];
  if (!rules.some(({ name }) => name === rule)) return [{ what: `there is no rule "${rule}" in force` }];
  const known = forms === null ? "it is not clear whose output this is" : `it is known as ${forms.map((form) => `"${form}"`).join(", ")}`;
  return [{ what: `rule "${rule}" does not apply to this command: ${known}` }];
}

function asExpected({ expect }: Example, { text }: DeskOutput): CheckProblem[] {
  if (expect === null || lines(expect) === lines(text)) return [];
  return [{ what: "differs from what is expected:", diff: difference(lines(expect), lines(text)) }];
}

/** How the text ends is not what an example is about. */
const lines = (text: string): string => `${text.trimEnd().replaceAll("\r\n", "\n")}\n`;

const CONTEXT = 3;

/** Changed lines with a few unchanged ones around them. */
function difference(expected: string, came: string): string[] {
  const all = diffLines(expected, came).flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => `${added ? "+" : removed ? "-" : " "} ${line}`),
  );
  const near = all.map((_, n) => all.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some((line) => !line.startsWith(" ")));
  return all.flatMap((line, n) => (near[n] ? [line] : near[n - 1] ? ["  …"] : []));
}

const ERROR = "ERROR: disk full";

/** The law: a line that looks like an error, wherever it comes, is shown or at the least counted. */
function errorsSurvive(example: Example, trial: Trial): Pick<CheckedExample, "problems" | "remarks"> {
  const given = example.input.split("\n");
  const places = [...new Set([0, Math.floor(given.length / 2), given.length])];
  const lost: string[] = [];
  const counted: string[] = [];
  for (const at of places) {
    const raw = [...given.slice(0, at), ERROR, ...given.slice(at)].join("\n");
    const { text, left } = trial.filter({ ...printed(example), raw });
    if (text.includes(ERROR)) continue;
    (left?.errors ? counted : lost).push(`"${ERROR}" before line ${at + 1}`);
  }
  return {
    problems: lost.map((which) => ({ what: `loses an error: ${which} of the input is neither shown nor counted` })),
    remarks: counted.map((which) => `an error is counted and not shown: ${which} of the input`),
  };
}
