import type { Applied } from "../apply-rules.ts";
import { combineApplied } from "../apply-rules.ts";
import type { Speaker, Subject } from "../command.ts";
import { foldAlike } from "../fold/fold.ts";
import { type Line, lengthOf } from "../line.ts";
import type { Rule } from "../rule.ts";
import { rulesFor } from "../select-rules.ts";
import { applyBest, subjectFor } from "./candidates.ts";
import { type Block, cutBlocks } from "./cut.ts";
import { runsOthers } from "./owners.ts";

export interface Spoken {
  readonly lines: readonly Line[];
  readonly speakers: readonly Speaker[];
  readonly exitCode: number;
}

/** Lets the rules shorten an output: of one command as a whole, of several block by block. */
export function filterBlocks({ lines, speakers, exitCode }: Spoken, rules: readonly Rule[]): Applied {
  const select = (subject: Subject, of: readonly Line[]) => rulesFor(subject, of, rules);
  // Who does without our rules does without folding as well.
  const fold = rules.some(({ origin }) => origin === "built-in") ? foldAlike : (applied: Applied) => applied;
  const [only, ...others] = speakers;
  if (!only) return applyBest(lines, { candidates: [], exitCode: null }, select);
  if (others.length > 0 || only.anytime) return applyByBlock(cutBlocks(lines, speakers), speakers, select, fold);
  if (hasPackages(lines) && runsOthers(only)) return applyByBlock(cutBlocks(lines, speakers), speakers, select, fold);
  const whole = applyBest(lines, { candidates: [only], exitCode }, select);
  if (lengthOf(whole.lines) < lengthOf(lines) || !runsOthers(only)) return fold(whole, lines, [only]);
  // It may have run others, which its own rules do not know.
  const blocks = cutBlocks(lines, speakers);
  return blocks.length === 1 && blocks[0]!.as === null ? fold(whole, lines, [only]) : applyByBlock(blocks, speakers, select, fold);
}

/** A script of several packages: whose numbers and failures these are is told by the line above them only. */
function hasPackages(lines: readonly Line[]): boolean {
  let first: string | undefined;
  return lines.some(({ text }) => {
    const name = text.startsWith("> ") ? PACKAGE.exec(text.slice(0, 300))?.[1] : undefined;
    first ??= name;
    return name !== undefined && name !== first;
  });
}
const PACKAGE = /^> ((?:@[\w.-]+\/)?[\w.-]+@\d\S*) [\w:.-]+(?: \/\S+)?$/;

type Select = (subject: Subject, lines: readonly Line[]) => readonly Rule[];

function applyByBlock(blocks: readonly Block[], speakers: readonly Speaker[], select: Select, fold: typeof foldAlike): Applied {
  const isRead = speakers.some(({ verbatim }) => verbatim !== null);
  const applied = blocks.map((block, n) => {
    if (isRead && !isSurelyOwned(block, blocks[n + 1], speakers)) return applyBest(block.lines, { candidates: [], exitCode: null }, select);
    const near = nearSpeakers(block, blocks[n + 1], speakers).filter(({ verbatim }) => verbatim === null);
    const candidates = [...(block.as === null ? [] : [subjectFor(block.as)]), ...near];
    const best = applyBest(block.lines, { candidates, exitCode: null }, (subject, lines) =>
      select(subject, lines).filter((rule) => !(isRead && GENERAL.test(rule.name)) && !(near.length > 1 && isBlind(rule))),
    );
    const folded = isRead ? best : fold(best, block.lines, candidates);
    return blocks.length > 1 ? withOpener(block, folded) : folded;
  });
  return combineApplied(applied);
}

/** Those that may have printed a block: from the one that began it to the one that begins the next. */
function nearSpeakers({ owners }: Block, next: Block | undefined, speakers: readonly Speaker[]): readonly Speaker[] {
  if (speakers.some(({ anytime }) => anytime)) return speakers;
  const from = owners?.first ?? 0;
  return speakers.slice(from, Math.max(from, next?.owners?.first ?? speakers.length - 1) + 1);
}

/** Whether no text that was asked for as it is can be in a block: whoever prints such a text came before it, or comes after the next one began. */
function isSurelyOwned({ owners }: Block, next: Block | undefined, speakers: readonly Speaker[]): boolean {
  if (!owners || speakers.some(({ anytime }) => anytime)) return false;
  return speakers.every(({ verbatim }, index) => {
    if (verbatim === null) return true;
    return index < owners.first || (next?.owners ? index > next.owners.last : false);
  });
}

/** What any command may print is not looked for where a text was asked for. */
const GENERAL = /^any-(?:progress|trace|log|repeats)$/;
/** These leave out lines they do not know, which may be another speaker's. */
const isBlind = ({ strategy }: Rule): boolean => strategy === "truncate" || strategy === "keep_matching";

/** The line a block begins with tells whose it is. */
function withOpener({ lines, as }: Block, applied: Applied): Applied {
  const [opener] = lines;
  if (!opener || as === null || applied.lines.includes(opener)) return applied;
  const [first] = applied.lines;
  // A rule may have said it more shortly.
  if (first && isShortened(opener.text.trim(), first.text.trim())) return applied;
  return { ...applied, lines: [opener, ...applied.lines] };
}

/** `npm error code 1` and `code 1` are one line. */
const isShortened = (long: string, short: string): boolean => long.startsWith(short.slice(0, 12)) || (short !== "" && long.endsWith(short));
