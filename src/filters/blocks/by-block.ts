import { rawOf } from "../account.ts";
import { type Applied, combineApplied } from "../apply-rules.ts";
import { type SpeakingCommand, type Subject, speakersOf } from "../command.ts";
import { isBlank, type Line } from "../line.ts";
import { isExact } from "../verbatim.ts";
import { applyBest, type Select, subjectFor } from "./candidates.ts";
import type { SpokenBlock } from "./cut.ts";

/** What a text is shortened with: the rules of a command, and what is folded without loss behind them. */
export interface Means {
  readonly select: Select;
  readonly fold: (applied: Applied, before: readonly Line[], subjects: readonly Subject[]) => Applied;
}

/** Each block takes the rules of the command that its opener tells of, or of a speaker near it: those that shorten it most. */
export function applyByBlock(blocks: readonly SpokenBlock[], speakers: readonly SpeakingCommand[], { select, fold }: Means): Applied {
  const isRead = speakers.some(isExact);
  const applied = blocks.map((block, n) => {
    if (isRead && !isSurelyOwned(blocks, n, speakers)) return applyBest(block.lines, { candidates: [], exitCode: null }, select);
    const near = nearSpeakers(block, blocks[n + 1], speakers).filter((one) => !isExact(one));
    const candidates = [...scriptsOf(block), ...(block.as === null ? [] : [subjectFor(block.as)]), ...near];
    const best = applyBest(block.lines, { candidates, exitCode: null }, (subject, lines) =>
      select(subject, lines).filter((rule) => !(isRead && GENERAL.test(rule.name)) && !(rule.isBlind && !isAlone(block, near))),
    );
    const folded = isRead ? best : fold(best, block.lines, candidates);
    return blocks.length > 1 ? withOpener(block, folded) : folded;
  });
  return combineApplied(applied);
}

/** The speakers that may have printed a block: from the one that began it to the one that begins the next. */
function nearSpeakers(
  { owners }: SpokenBlock,
  next: SpokenBlock | undefined,
  speakers: readonly SpeakingCommand[],
): readonly SpeakingCommand[] {
  if (speakers.some(({ anytime }) => anytime)) return speakers;
  const from = owners?.first ?? 0;
  if (!next?.owners) return speakers.slice(from);
  // The next one may have said something before the line it is known by.
  const to = next.opener?.is === "line" ? next.owners.first + 1 : next.owners.first;
  return speakers.slice(from, Math.max(from + 1, to));
}

/** `> app@1.0.0 lint`, `> eslint .`: what a package manager says that it runs. */
function scriptsOf({ lines, as }: SpokenBlock): readonly Subject[] {
  if (!/^(?:npm run|yarn|pnpm|bun)\b/.test(as ?? "")) return [];
  const said = lines.slice(1, 4).find((line) => !isBlank(line))?.text ?? "";
  const [, script = ""] = /^[>$] (\S.{0,500})$/.exec(said) ?? [];
  return speakersOf(script).filter(({ verbatim }) => verbatim === null);
}

/** Whether no text that was asked for as it is can be in a block: every speaker that prints such a text came before it, or comes after the next block began. */
function isSurelyOwned(blocks: readonly SpokenBlock[], n: number, speakers: readonly SpeakingCommand[]): boolean {
  const next = blocks[n + 1];
  const first = blocks[n]!.owners?.first ?? 0;
  const begun = new Set(blocks.slice(0, n + 1).map(({ as }) => as));
  // What begins again may have been quoted before.
  const beginsAgain = blocks.slice(n + 1).some(({ as }) => as !== null && begun.has(as));
  if (beginsAgain || speakers.some(({ anytime }) => anytime)) return false;
  return speakers.every((speaker, index) => !mayQuote(speaker) || index < first || (next ? isBehind(index, next) : false));
}

/** What shows a file, or lines of one, may look like any program. Commits and changes in a form that was chosen do not. */
const mayQuote = ({ verbatim, words }: SpeakingCommand): boolean => verbatim === "text" || (verbatim === "lines" && words[0] !== "git");

/** Whether a speaker said nothing before a block began. */
const isBehind = (index: number, { owners, opener }: SpokenBlock): boolean =>
  owners !== null && (index > owners.last || (owners.first === index && owners.last === index && opener?.is !== "line"));

/** What any command may print is not looked for where a text was asked for. */
const GENERAL = /^any-(?:progress|trace|log|repeats)$/;
/** Whether one command alone printed a block, so that a rule may take every line for its own. */
const isAlone = ({ as }: SpokenBlock, near: readonly SpeakingCommand[]): boolean =>
  near.length === 0 || (near.length === 1 && (as === null || near[0]!.words[0] === as.split(" ", 1)[0]));

/** The line that a run begins with tells whose block it is. Where a rule has told it in its own way, it is not said twice. */
function withOpener({ lines, opener }: SpokenBlock, applied: Applied): Applied {
  const [first] = lines;
  const isTold = (line: Line): boolean => line === first || rawOf(line).includes(first!) || squeezed(line.text) === squeezed(first!.text);
  return opener?.is !== "run" || !first || applied.lines.some(isTold) ? applied : { ...applied, lines: [first, ...applied.lines] };
}

const squeezed = (text: string): string => text.trim().replace(/\s+/g, " ");
