import type { FilterDesk } from "../../../runtime/filter/standalone-filter.ts";
import { visible } from "../../../text/visible.ts";
import { grouped, plural } from "../../../text/words.ts";
import { UsageError } from "../io.ts";
import { wholeNumber } from "../number-option.ts";
import { jsonLine } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";

const USUAL_DAYS = 14;
const MOST_DAYS = 366;
/** A token is counted as this many characters. */
const CHARS_OF_TOKEN = 4;

/** `zeph filter savings [days]`: what filters left out of the output of commands, by day, rule and command. */
export function printSavings([given, ...more]: readonly string[], form: "text" | "json") {
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many. Usage: zeph filter savings [days] [--json]`);
  const days = wholeNumber("zeph filter savings", given ?? USUAL_DAYS, { least: 1, most: MOST_DAYS });
  return async (desk: FilterDesk, { stdout }: Terminal): Promise<number> => {
    const rows = await desk.savings(days);
    stdout.write(form === "json" ? jsonLine(rows.map(savedJson)) : savingsText(rows, plural(days, "day")));
    return 0;
  };
}

type Saved = Awaited<ReturnType<FilterDesk["savings"]>>[number];
type Sum = Pick<Saved, "uses" | "rawChars" | "chars">;

function savingsText(rows: readonly Saved[], days: string): string {
  if (rows.length === 0) return `Nothing was saved in the last ${days}. Filters shorten what commands of an agent print.\n`;
  const tables = [
    ["day", sumsBy(rows, ({ day }) => day)],
    ["rule", mostFirst(sumsBy(rows, ({ rule }) => rule ?? "(no rule of its own)"))],
    ["command", mostFirst(sumsBy(rows, ({ kind }) => kind))],
    ["in all", sumsBy(rows, () => `last ${days}`)],
  ] as const;
  return tables.map(([head, sums]) => aligned([[head, ...HEADS], ...sums.map(cells)])).join("\n");
}

const HEADS = ["uses", "characters", "shown", "tokens saved", "share"];

function sumsBy(rows: readonly Saved[], nameOf: (row: Saved) => string): readonly (readonly [string, Sum])[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const { uses, rawChars, chars } = sums.get(nameOf(row)) ?? { uses: 0, rawChars: 0, chars: 0 };
    sums.set(nameOf(row), { uses: uses + row.uses, rawChars: rawChars + row.rawChars, chars: chars + row.chars });
  }
  return [...sums];
}

const mostFirst = (sums: ReturnType<typeof sumsBy>) => sums.toSorted(([, a], [, b]) => savedChars(b) - savedChars(a));
const savedChars = ({ rawChars, chars }: Sum): number => Math.max(0, rawChars - chars);

const cells = ([name, sum]: readonly [string, Sum]): readonly string[] => [
  visible(name),
  ...[sum.uses, sum.rawChars, sum.chars, Math.round(savedChars(sum) / CHARS_OF_TOKEN)].map(grouped),
  `${Math.round((100 * savedChars(sum)) / Math.max(1, sum.rawChars))} %`,
];

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows
    .map((row) => `${row.map((text, at) => (at === 0 ? text.padEnd(widths[0]!) : text.padStart(widths[at]!))).join("  ")}\n`)
    .join("");
}

const savedJson = ({ day, kind, rule, confidence, uses, rawChars, chars }: Saved) => ({
  day,
  command: kind,
  rule,
  confidence,
  uses,
  raw_chars: rawChars,
  chars,
});
