import type { RE2JS } from "re2js";
import { ToolError } from "../core/error.ts";
import type { ToolOutput } from "../core/tool.ts";
import { createPace } from "../text/pace.ts";
import { isInsidePair, MOST, type OverflowLine, overflowLines } from "./overflow-view.ts";

/** Of a longer line what stands around the match is shown. */
const MAX_COLUMNS = 500;
const BEFORE_MATCH = 100;
const SHOWN_AFTER = MAX_COLUMNS - BEFORE_MATCH;
/** A longer line is searched in pieces of this size, so that a signal is heard in between. They overlap: a match may lie across two. */
const PIECE = 8192;
const OVERLAP = 512;
/** Steps of a compiled pattern. Time grows with them and with the piece: this many take a third of a second at worst. */
const MAX_STEPS = 1000;
const TIME_LIMIT_MS = 5000;

/** Lines that match, with their numbers, and some around them. Patterns come from a model, so they run in linear time. */
export async function patternView(text: string, pattern: string, context: number, signal: AbortSignal): Promise<ToolOutput<never>> {
  const expression = await compiled(pattern);
  const hits = new Hits(text, context);
  const started = performance.now();
  const pace = createPace(signal);
  let next = 0;
  for (const piece of piecesOf(text)) {
    await pace.step();
    if (performance.now() - started > TIME_LIMIT_MS) return hits.output(pattern, piece.n);
    const searched = text.slice(piece.start, piece.end);
    if (!expression.test(searched)) hits.pass(piece);
    else if (searched.length <= MAX_COLUMNS) hits.add(piece, piece.start);
    else
      for (const at of matchesIn(searched, expression, Math.max(0, next - piece.start))) {
        hits.add(piece, piece.start + at);
        next = piece.start + at + SHOWN_AFTER;
      }
  }
  return hits.output(pattern, null);
}

async function compiled(pattern: string): Promise<RE2JS> {
  const { RE2JS } = await import("re2js");
  const refused = (why: string) => new ToolError("invalid_parameters", `pattern ${JSON.stringify(pattern)}: ${why}.`);
  let expression: RE2JS;
  try {
    expression = RE2JS.compile(pattern);
  } catch (error) {
    const why = (error as Error).message.replace(/^error parsing regexp: /, "");
    throw refused(`${why}. RE2 knows no look-around and no back-references`);
  }
  if (expression.programSize() > MAX_STEPS) throw refused("it repeats too much; ask for less at once");
  return expression;
}

/** Where matches begin that the ones before do not show already. Few are asked for: each may look at the whole piece. */
function* matchesIn(searched: string, expression: RE2JS, from: number): Generator<number> {
  const matcher = expression.matcher(searched);
  for (let at = from; at < searched.length && matcher.find(at); at = matcher.start() + SHOWN_AFTER) yield matcher.start();
}

/** Lines; a very long one in several pieces with the same number. */
function* piecesOf(text: string): Generator<OverflowLine> {
  for (const { n, start, end } of overflowLines(text)) {
    let at = start;
    for (; end - at > PIECE; at += PIECE - OVERLAP) yield { n, start: at, end: at + PIECE };
    yield { n, start: at, end };
  }
}

/** Collects what is shown until there is no more room, and counts the rest. */
class Hits {
  readonly #text: string;
  readonly #context: number;
  readonly #shown: string[] = [];
  readonly #before: OverflowLine[] = [];
  #after = 0;
  #lastShown = 0;
  #room = MOST;
  #count = 0;
  #left = 0;
  #next: number | null = null;

  constructor(text: string, context: number) {
    this.#text = text;
    this.#context = context;
  }

  add(line: OverflowLine, at: number): void {
    const first = this.#before[0]?.n ?? line.n;
    const gap = this.#context > 0 && this.#count > 0 && first > this.#lastShown + 1 ? ["--"] : [];
    const block = [...gap, ...this.#before.map((before) => this.#line(before, "-", before.start)), this.#line(line, ":", at)];
    if (this.#left > 0 || !this.#fits(block)) {
      this.#next ??= line.n;
      this.#left++;
      return;
    }
    this.#count++;
    this.#lastShown = line.n;
    this.#before.length = 0;
    this.#after = this.#context;
  }

  pass(line: OverflowLine): void {
    if (this.#context === 0 || this.#left > 0) return;
    if (this.#after > 0 && this.#fits([this.#line(line, "-", line.start)])) {
      this.#after--;
      this.#lastShown = line.n;
      return;
    }
    this.#before.push(line);
    if (this.#before.length > this.#context) this.#before.shift();
  }

  /** `stoppedAt`: the line where time was up. */
  output(pattern: string, stoppedAt: number | null): ToolOutput<never> {
    const notes = [
      ...(this.#left > 0
        ? [`(${this.#count} matches shown, ${this.#left} more; the next is in line ${this.#next}: narrow the pattern, or use lines)`]
        : []),
      ...(stoppedAt === null ? [] : [`(stopped before line ${stoppedAt}, because the search takes too long: use a simpler pattern)`]),
    ];
    const shown = this.#count === 0 ? [`No line matches ${pattern}.`] : this.#shown;
    return { text: [...shown, ...notes].join("\n"), ...(notes.length > 0 && { truncated: true }) };
  }

  #fits(lines: readonly string[]): boolean {
    const size = lines.reduce((sum, line) => sum + line.length + 1, 0);
    if (size > this.#room) return false;
    this.#room -= size;
    this.#shown.push(...lines);
    return true;
  }

  #line({ n, start, end }: OverflowLine, mark: ":" | "-", at: number): string {
    if (end - start <= MAX_COLUMNS) return `${n}${mark} ${this.#text.slice(start, end)}`;
    const from = this.#whole(Math.max(start, Math.min(at - BEFORE_MATCH, end - MAX_COLUMNS)));
    const to = this.#whole(Math.min(end, from + MAX_COLUMNS));
    return `${n}${mark} …${this.#text.slice(from, to)}… (characters ${from}-${to})`;
  }

  #whole(at: number): number {
    return isInsidePair(this.#text, at) ? at - 1 : at;
  }
}
