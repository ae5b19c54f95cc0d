import { dollars } from "../../chat/chat-totals.ts";
import type { Paint, Theme } from "../theme.ts";
import { columnsOfLine, cutLine } from "../width.ts";
import { percent, shortCount, shownLine } from "./shown-text.ts";

/** What is always in sight below the line that is typed. */
export interface StatusFacts {
  /** The name of the model; what stands before its last slash is left out. */
  readonly model: string;
  /** How full the context is; null before the first answer. */
  readonly context: { readonly used: number; readonly budget: number } | null;
  /** Tokens of all requests so far; `cached` are part of `input`. */
  readonly tokens: { readonly input: number; readonly cached: number; readonly output: number };
  /** US dollars; absent where no price is known. */
  readonly cost?: number;
  /** Tokens that filters kept from the model. */
  readonly savedTokens: number;
  readonly autonomy: string;
  /** What makes the walls; null while it is not known yet. */
  readonly walls: string | null;
  readonly branch?: string;
  /** Stands at the right where there is room for it. */
  readonly hint?: string;
}

interface Segment {
  /** The highest gives way first. */
  readonly rank: number;
  readonly text: string;
  readonly paint: Paint;
  /** What it becomes before it goes. */
  readonly short?: string;
}

const SHORT_NAME = 12;
const FILLING = 70;
const FULL = 85;
const same: Paint = (text) => text;

/** One line. What matters for safety stays the longest: a narrow window loses the branch first and the walls last. */
export function statusLine(facts: StatusFacts, width: number, theme: Theme): string {
  const { dim, signs } = theme;
  const between = ` ${signs.dot} `;
  let shown = segmentsOf(facts, theme).filter(({ text }) => text !== "");
  const columns = () => 1 + columnsOfLine(shown.map(({ text }) => text).join(between));
  const givingWay = [...shown].sort((a, b) => b.rank - a.rank);
  for (const { rank, short } of givingWay) {
    if (columns() <= width) break;
    if (short !== undefined) shown = shown.map((one) => (one.rank === rank ? { ...one, text: short } : one));
    // In a window so narrow that even these do not fit the walls are left.
    if (columns() > width && rank > 0) shown = shown.filter((one) => one.rank !== rank);
  }
  const left = cutLine(` ${shown.map(({ text, paint }) => paint(text)).join(dim(between))}`, width, signs.cut);
  const room = width - columnsOfLine(left) - columnsOfLine(facts.hint ?? "");
  return facts.hint !== undefined && room > 1 ? `${left}${" ".repeat(room)}${dim(facts.hint)}` : left;
}

function segmentsOf(facts: StatusFacts, { warn, bad, good, signs }: Theme): Segment[] {
  const { input, cached, output } = facts.tokens;
  const full = facts.context ? percent(facts.context.used, facts.context.budget) : 0;
  const model = shownLine(facts.model, signs).split("/").at(-1)!;
  const branch = shownLine(facts.branch ?? "", signs);
  return [
    { rank: 3, text: model, paint: same, short: cutLine(model, SHORT_NAME, signs.cut) },
    { rank: 2, text: `ctx ${full}%`, paint: full >= FULL ? bad : full >= FILLING ? warn : same },
    {
      rank: 6,
      text: `${shortCount(input)} in${cached > 0 ? ` (${percent(cached, input)}% cached)` : ""} ${shortCount(output)} out`,
      paint: same,
      short: `${shortCount(input)}/${shortCount(output)}`,
    },
    { rank: 5, text: facts.cost === undefined ? "" : dollars(facts.cost), paint: same },
    { rank: 4, text: facts.savedTokens > 0 ? `saved ${shortCount(facts.savedTokens)}` : "", paint: good },
    { rank: 1, text: shownLine(facts.autonomy, signs), paint: facts.autonomy === "full" ? warn : same },
    { rank: 0, text: wallsWord(facts.walls), paint: facts.walls === "none" ? bad : same },
    { rank: 7, text: branch, paint: same, short: cutLine(branch, SHORT_NAME, signs.cut) },
  ];
}

/** Other names are shown as they are (`zeph-run`, `landlock`). */
const WALLS: Readonly<Record<string, string>> = { none: "no walls", bubblewrap: "bwrap", host: "its own walls" };
const wallsWord = (walls: string | null): string => (walls === null ? "walls?" : (WALLS[walls] ?? walls));
