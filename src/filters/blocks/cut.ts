import type { SpeakingCommand } from "../command.ts";
import { isBlank, type Line } from "../line.ts";
import { isExact } from "../verbatim.ts";
import { closingAt } from "./closers.ts";
import { type Opener, openingAt } from "./openers.ts";
import { type Owners, ownersOf } from "./owners.ts";

/** A part of an output that one program printed, as far as that is known. */
export interface SpokenBlock {
  readonly lines: readonly Line[];
  /** The command whose rules know the line it begins with; null where nothing is known of it. */
  readonly as: string | null;
  readonly opener: Opener | null;
  /** The speakers that may have begun it; null for what was printed before the first that is known. */
  readonly owners: Owners | null;
  /** The speaker whose sums end it: nobody behind that one has spoken. null: where it ends is only known by what comes next. */
  readonly closedBy: number | null;
}

interface Cut extends Pick<SpokenBlock, "as" | "opener"> {
  readonly at: number;
  readonly owners: Owners;
  closedBy: number | null;
}

/** More are not the output of a few programs one after the other. */
const MOST_BLOCKS = 200;

/** Cuts an output where another program surely begins. One block when that is nowhere certain. */
export function cutBlocks(lines: readonly Line[], speakers: readonly SpeakingCommand[]): readonly SpokenBlock[] {
  const cuts = cutsIn(lines, speakers);
  if (cuts.length === 0 || cuts.length > MOST_BLOCKS) return [{ lines, ...UNKNOWN }];
  const blocks = cuts
    .map(({ at, ...about }, n) => ({ lines: lines.slice(at, cuts[n + 1]?.at), ...about }))
    .filter((block) => block.lines.length > 0);
  const head = lines.slice(0, cuts[0]!.at);
  return head.every(isBlank) ? blocks : [{ lines: head, ...UNKNOWN }, ...blocks];
}

const UNKNOWN = { as: null, opener: null, owners: null, closedBy: null };

function cutsIn(lines: readonly Line[], speakers: readonly SpeakingCommand[]): readonly Cut[] {
  const announced = announcements(lines, speakers);
  const cuts: Cut[] = [];
  // A text that was asked for may look like any program; one that is on the command line must come first.
  const isRead = speakers.some(isExact);
  const isAnytime = speakers.some(({ anytime }) => anytime);
  let earliest = 0;
  let closedUntil = 0;
  for (const [at, { text }] of lines.entries()) {
    if (at < closedUntil) continue;
    const said = announced(text);
    if (said !== null) {
      cuts.push({ at, as: null, opener: null, owners: { first: said, last: said, byName: true }, closedBy: null });
      earliest = said;
      continue;
    }
    // What a program sums up with ends its block, which matters where a text that was asked for may follow.
    const closing = isRead ? closingAt(lines, at) : null;
    const by = closing && closerIndex(closing.closer.by, cuts, speakers, earliest);
    if (closing && by !== null) {
      closeBlock(cuts, { as: closing.closer.by[0], by, end: closing.end });
      closedUntil = closing.end;
      // What was quoted before begins again: then it must be seen.
      if (!isAnytime && speakers.slice(0, by).every(({ verbatim }) => verbatim === null)) earliest = by + 1;
      continue;
    }
    const opening = openingAt(text, lines[at + 1]?.text ?? "");
    if (!opening) continue;
    const last = cuts.at(-1);
    const isMore = opening.opener.is !== "run" && last?.as && programOf(last.as) === programOf(opening.as);
    if (isMore) continue;
    const owners = ownersOf(opening, speakers, earliest);
    if (!owners || (isRead && !owners.byName && !cuts.some((cut) => cut.owners.first === owners.first))) continue;
    cuts.push({ at, as: opening.as, opener: opening.opener, owners, closedBy: null });
    if (!isAnytime) earliest = owners.first;
  }
  return cuts;
}

/** The speaker that sums up: by its name, or because the block began with a script of it. null: nobody is known to. */
function closerIndex(by: readonly string[], cuts: readonly Cut[], speakers: readonly SpeakingCommand[], earliest: number): number | null {
  const open = cuts.at(-1)?.owners;
  const isOpened = open && open.first === open.last && cuts.some(({ owners }) => owners.byName && owners.first === open.first);
  if (isOpened && speakers[open.first]?.verbatim === null) return open.first;
  const named = speakers.findIndex(({ words, verbatim }, index) => index >= earliest && verbatim === null && by.includes(words[0] ?? ""));
  return named === -1 ? null : named;
}

/** Ends the block that is open, or what was printed before the first that is known. What follows may still be of the same program. */
function closeBlock(cuts: Cut[], { as, by, end }: { readonly as: string; readonly by: number; readonly end: number }): void {
  const open = cuts.at(-1);
  if (!open) cuts.push({ at: 0, as, opener: null, owners: { first: 0, last: by, byName: true }, closedBy: by });
  else open.closedBy = by;
  cuts.push({ at: end, as: null, opener: null, owners: { first: by, last: by + 1, byName: true }, closedBy: null });
}

const programOf = (command: string): string => command.split(" ", 1)[0]!;

/** The lines that `echo` announces a speaker with. Outside of loops each is said once; more often, and another program says it too. */
function announcements(lines: readonly Line[], speakers: readonly SpeakingCommand[]): (text: string) => number | null {
  const said = speakers.flatMap(({ announced, anytime }, index) => (announced === null ? [] : [{ announced, anytime, index }]));
  const usable = said.filter(({ announced, anytime }) => {
    const times = lines.reduce((count, { text }) => (text.startsWith(announced) ? count + 1 : count), 0);
    return anytime ? times > 0 : times === 1;
  });
  if (usable.length === 0) return () => null;
  return (text) => usable.find(({ announced }) => text.startsWith(announced))?.index ?? null;
}
