import { type Applied, combineApplied } from "../apply-rules.ts";
import { type SpeakingCommand, type Subject, speakersOf } from "../command.ts";
import { foldAlike } from "../fold/fold.ts";
import { heading, type Line, lengthOf, standFor } from "../line.ts";
import type { Rule } from "../rule.ts";
import { rulesFor } from "../select-rules.ts";
import { applyByBlock, type Means } from "./by-block.ts";
import { applyBest } from "./candidates.ts";
import { cutBlocks } from "./cut.ts";
import { runsOthers } from "./owners.ts";
import { unweave, type Woven } from "./woven.ts";

export interface SpokenOutput {
  readonly lines: readonly Line[];
  readonly speakers: readonly SpeakingCommand[];
  readonly exitCode: number | null;
}

/** Lets the rules shorten an output: of one command as a whole, of several block by block, of several at once stream by stream. */
export function filterBlocks(spoken: SpokenOutput, rules: readonly Rule[]): Applied {
  const means: Means = {
    select: (subject: Subject, lines: readonly Line[]) => rulesFor(subject, lines, rules),
    // Without our rules there is no folding either.
    fold: rules.some(({ origin }) => origin === "built-in") ? foldAlike : (applied: Applied) => applied,
  };
  const plain = applyInOrder(spoken, means);
  const { lines, speakers } = spoken;
  const mayWeave = speakers.some(runsOthers) && speakers.every(({ verbatim }) => verbatim === null);
  const woven = mayWeave ? unweave(lines, speakers.map(({ forms }) => forms[0]).join("; ")) : null;
  if (!woven) return plain;
  const apart = applyByStream(woven, speakers, means);
  return lengthOf(apart.lines) < lengthOf(plain.lines) * WORTH_IT ? apart : plain;
}

/** Which stream spoke before another is lost when they are taken apart. */
const WORTH_IT = 0.9;

function applyInOrder({ lines, speakers, exitCode }: SpokenOutput, means: Means): Applied {
  const { select, fold } = means;
  const [only, ...others] = speakers;
  if (!only) return applyBest(lines, { candidates: [], exitCode: null }, select);
  if (others.length > 0 || only.anytime || (runsOthers(only) && hasPackages(lines)))
    return applyByBlock(cutBlocks(lines, speakers), speakers, means);
  return fold(applyBest(lines, { candidates: [only], exitCode }, select), lines, [only]);
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

function applyByStream({ before, streams, others }: Woven, speakers: readonly SpeakingCommand[], means: Means): Applied {
  const inOrder = (lines: readonly Line[], by: readonly SpeakingCommand[]) => applyInOrder({ lines, speakers: by, exitCode: null }, means);
  const told = [...streams].map(([label, lines]) => underLabel(label, lines, inOrder(lines, speakersOfStream(lines))));
  const intro = heading(`${streams.size} streams, each in its own order:`);
  const silent = { steps: [], confidence: "Full", harmless: 0 } as const;
  return combineApplied([
    inOrder(before, speakers),
    ...(streams.size > 1 ? [{ ...silent, lines: [intro] }] : []),
    ...told,
    inOrder(others, speakers),
  ]);
}

/** A single line keeps its label before it. */
function underLabel(label: string, lines: readonly Line[], applied: Applied): Applied {
  const [only, ...more] = applied.lines;
  if (only && more.length === 0) return { ...applied, lines: [standFor(`${label}: ${only.text}`, [only])] };
  return { ...applied, lines: [heading(`${label} (${lines.length} lines):`), ...applied.lines] };
}

/** The speakers of a stream, which are known only where it begins with the command. */
function speakersOfStream(lines: readonly Line[]): readonly SpeakingCommand[] {
  const [, script = ""] = /^\$ (\S.{0,500})$/.exec(lines[0]?.text ?? "") ?? [];
  const known = speakersOf(script).filter(({ verbatim }) => verbatim === null);
  return (known.length > 0 ? known : [SOMEBODY]).map((one) => ({ ...one, anytime: true }));
}

const SOMEBODY: SpeakingCommand = { forms: ["./stream"], words: ["./stream"], verbatim: null, anytime: true, announced: null };
