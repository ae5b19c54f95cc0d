import { endOfRun } from "../../text/group-by.ts";
import { type Line, standFor } from "../line.ts";
import type { RunnerLine } from "./read-lines.ts";
import { gatherFacts, type KeptLine, type RunFacts } from "./run-facts.ts";
import type { LineRole, Runner } from "./runner.ts";

export interface DecidedLines {
  readonly lines: readonly Line[];
  /** Lines left out that look like errors and are none. */
  readonly harmless: number;
  /** Some line that stays says what went wrong. */
  readonly tellsWhy: boolean;
}

/** Decides which lines stay, now that the whole output is read: which tests passed, and which failures are shown at length. */
export function decideLines(runner: Runner, told: readonly RunnerLine[]): DecidedLines {
  const all = gatherFacts(runner, told);
  const kept: KeptLine[] = [];
  let harmless = 0;
  for (const [n, stay] of all.stays.entries()) {
    const home = stay && JUDGES[stay.told.deed](stay, all, n);
    if (home === null) harmless += told[n]!.line.errors;
    else if (home === stay) kept.push(stay);
    else home.lines.push(told[n]!.line);
  }
  return { lines: withoutSameBodies(kept).map(lineFor), harmless, tellsWhy: kept.some(isReason) };
}

/** A failing test, or an error. Sums say that something failed, and a passing test may log what looks like an error: neither tells why. */
const isReason = ({ told: { deed, line } }: KeptLine): boolean =>
  deed === "title" || deed === "brief" || (line.errors > 0 && !EMPTY.has(deed));
const EMPTY: ReadonlySet<LineRole> = new Set(["totals", "log", "quiet", "skip"]);

/** The line itself if it stays, another one that stands for it, or null if it goes. */
type Judge = (stay: KeptLine, all: RunFacts, n: number) => KeptLine | null;

const stays: Judge = (stay) => stay;
const goes: Judge = () => null;

const JUDGES: Readonly<Record<LineRole, Judge>> = {
  keep: stays,
  totals: stays,
  named: (stay, all) => (all.isVoid(stay.told) ? null : stay),
  shows: stays,
  pass: goes,
  skip: (stay, all) => all.reasonOf(stay) ?? (all.isFewSkipped ? stay : all.alarm(stay)),
  suite: (stay, all, n) => (all.isOfNoTest(n) ? null : stay),
  none: (stay, all, n) => (all.isOfNoTest(n) ? null : stay),
  drop: goes,
  opens: goes,
  void: goes,
  title: (stay, all) => (all.isVoid(stay.told) ? null : stay),
  own: (stay, all) => (all.isVoid(stay.told) ? null : stay),
  points: goes,
  brief: (stay, all) => (all.isGroup(stay.told) ? null : (all.homeOf(stay) ?? stay)),
  echo: (stay, all) => (all.isSaid(stay.told) ? null : stay),
  again: (stay, all, n) => (all.isSaidAgain(n) ? null : stay),
  source: (stay, all, n) => (all.deedAt(n + 1) === "points" || all.deedAt(n + 1) === "shows" ? stay : null),
  excerpt: (stay, all, n) => (all.isKnownSource(n) ? null : stay),
  foreign: (stay, all, n) => (all.isOnlyPlace(n) ? stay : null),
  group: (stay, all, n) => (stay.told.line.errors === 0 && all.isAboveTests(n) ? null : stay),
  quiet: (stay, all) => all.alarm(stay),
  log: (stay, all) => (all.isOfPassed(stay.told) ? all.alarm(stay) : stay),
  logged: (stay, all) => (all.isOfPassed(stay.told) ? null : stay),
};

function lineFor({ text, lines, told }: KeptLine): Line {
  if (lines.length === 1 && text === told.line.text) return told.line;
  return standFor(told.deed === "skip" && lines.length > 1 ? `${text} (×${lines.length})` : text, lines);
}

/** Tests that fail for the same reason are named one after the other, above the reason. */
function withoutSameBodies(kept: readonly KeptLine[]): KeptLine[] {
  const shown: KeptLine[][] = [];
  const first = new Map<string, KeptLine[]>();
  for (let n = 0; n < kept.length; ) {
    const { deed, block } = kept[n]!.told;
    const end = endOfRun(kept, n + 1, ({ told }) => deed === "title" && told.block === block);
    const group = kept.slice(n, end);
    n = end;
    const body = group.slice(1);
    const text = body.map(({ text }) => text).join("\n");
    const same = first.get(text);
    if (same) {
      const told = same.find(({ text }) => text === group[0]!.text);
      if (told) told.lines.push(...group[0]!.lines);
      else same.splice(same.length - body.length, 0, group[0]!);
      for (const [at, { lines }] of body.entries()) same.at(at - body.length)!.lines.push(...lines);
    } else {
      shown.push(group);
      if (body.length > 0) first.set(text, group);
    }
  }
  return shown.flat();
}
