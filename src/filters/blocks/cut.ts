import type { SpeakingCommand } from "../command.ts";
import { isBlank, type Line } from "../line.ts";
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
}

interface Cut extends Pick<SpokenBlock, "as" | "opener"> {
  readonly at: number;
  readonly owners: Owners;
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

const UNKNOWN = { as: null, opener: null, owners: null };

function cutsIn(lines: readonly Line[], speakers: readonly SpeakingCommand[]): readonly Cut[] {
  const announced = announcements(lines, speakers);
  const cuts: Cut[] = [];
  const isAnytime = speakers.some(({ anytime }) => anytime);
  let earliest = 0;
  for (const [at, { text }] of lines.entries()) {
    const said = announced(text);
    if (said !== null) {
      cuts.push({ at, as: null, opener: null, owners: { first: said, last: said } });
      earliest = said;
      continue;
    }
    const opening = openingAt(text, lines[at + 1]?.text ?? "");
    if (!opening) continue;
    const last = cuts.at(-1);
    const isMore = opening.opener.is !== "run" && last?.as && programOf(last.as) === programOf(opening.as);
    if (isMore) continue;
    const owners = ownersOf(opening, speakers, earliest);
    if (!owners) continue;
    cuts.push({ at, as: opening.as, opener: opening.opener, owners });
    if (!isAnytime) earliest = owners.first;
  }
  return cuts;
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
