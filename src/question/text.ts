import { visible } from "../text/visible.ts";
import { beside, wrap } from "../text/width/columns.ts";
import type { QuestionRow, QuestionView } from "./question.ts";

type Paint = (text: string) => string;

/** How a question is drawn: colours, and the width at which Zeph's own words break. */
export interface QuestionStyle {
  readonly colors: Readonly<Record<"yellow" | "bold" | "cyan" | "dim" | "green" | "red", Paint>>;
  readonly columns: number;
}

const same: Paint = (text) => text;
const PLAIN: QuestionStyle = {
  colors: { yellow: same, bold: same, cyan: same, dim: same, green: same, red: same },
  columns: Number.POSITIVE_INFINITY,
};

/** The whole question as text. */
export function questionText(view: QuestionView, style: QuestionStyle = PLAIN): string {
  const { colors } = style;
  return `${colors.yellow("Question:")} ${drawHeading(view, colors.bold)}\n${questionDetails(view, style)}`;
}

/** The tool stands out where the heading begins with it. */
const drawHeading = ({ heading, tool }: QuestionView, bold: Paint): string =>
  heading.startsWith(`${tool} `) ? `${bold(tool)}${heading.slice(tool.length)}` : bold(heading);

/** Everything below the heading: why it is asked, and a row for each part of the call. */
export function questionDetails({ why, rows }: Pick<QuestionView, "why" | "rows">, style: QuestionStyle = PLAIN): string {
  const { colors, columns } = style;
  const width = Math.max(0, ...rows.map(({ name }) => name.length)) + 2;
  const draw = (row: QuestionRow) =>
    row.by === "caller" ? callerRow(row, width, style) : beside(`  ${colors.cyan(row.name)}`, row.text, width + 2, columns);
  return [...why.map((reason) => wrap(reason, columns, "  ")), ...rows.filter(isCallers).map(draw), ...rows.filter(isOurs).map(draw)].join(
    "\n",
  );
}

const isCallers = ({ by }: QuestionRow) => by === "caller";
const isOurs = ({ by }: QuestionRow) => by === "zeph";

/** Nothing is wrapped. Space at the edges counts, so a text with some stands in a block where it can be seen. */
function callerRow({ name, text, isDiff }: QuestionRow, width: number, { colors }: QuestionStyle): string {
  if (text === text.trim() && !text.includes("\n")) return `  ${colors.cyan(name.padEnd(width))}${text}`;
  const lines = (isDiff ? colouredDiff(text, colors) : text.replace(/\n$/, "")).split("\n");
  return [`  ${colors.cyan(name)}`, ...lines.map((line) => `    ${colors.dim("|")} ${line}`)].join("\n");
}

/** A unified diff, line by line in its colours, with nothing in it that a terminal would obey. */
export function colouredDiff(diff: string, colors: Pick<QuestionStyle["colors"], "bold" | "cyan" | "green" | "red">): string {
  const colour = (text: string) => {
    if (/^(---|\+\+\+) /.test(text)) return colors.bold(text);
    if (text.startsWith("@@")) return colors.cyan(text);
    if (text.startsWith("+")) return colors.green(text);
    return text.startsWith("-") ? colors.red(text) : text;
  };
  return visible(diff).replace(/\n$/, "").split("\n").map(colour).join("\n");
}
