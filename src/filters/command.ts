import { outline, type Segment, type Stage } from "../shell/outline.ts";
import { wordSet } from "../text/words.ts";
import { unwrapCommand } from "./unwrap.ts";
import { listsPaths, pipedKind, type Verbatim, verbatimKind } from "./verbatim.ts";

/** The command whose output this is, in the forms a rule may know it by. */
export interface Subject {
  /** As written first, then without what stands around it: `npx -y pnpm@9 i`, `pnpm i`. */
  readonly forms: readonly string[];
  /** The last form, word by word. */
  readonly words: readonly string[];
  readonly verbatim: Verbatim | null;
}

/** A command of a command line that prints. */
export interface SpeakingCommand extends Subject {
  /** It may print again, and at any time: in a loop, in the background. */
  readonly anytime: boolean;
  /** What `echo` says right before it, as far as it is plain text: there its output begins. */
  readonly announced: string | null;
}

/** The command whose output a command line shows. null: there are several, or it is not clear which. */
export function subjectOf(command: string): Subject | null {
  const [only, ...others] = speakersOf(command);
  return others.length > 0 ? null : (only ?? null);
}

/** Every command that prints, in order; the same one twice in a row is one. Empty when it is not clear. */
export function speakersOf(command: string): readonly SpeakingCommand[] {
  const found = speakersIn(command, 0);
  const forms = found.length === 1 ? [command.trim(), ...found[0]!.forms] : null;
  return found.map((one) => (forms ? { ...one, forms: [...new Set(forms)] } : one));
}

const DEEPEST = 3;
const MOST = 32;

function speakersIn(command: string, depth: number): readonly SpeakingCommand[] {
  const segments = outline(command);
  if (!segments || depth > DEEPEST) return [];
  const outspoken = segments.filter(({ quiet }) => !quiet);
  // Where all that is said goes elsewhere, what is heard are messages and errors.
  const heard = outspoken.length > 0 ? outspoken : segments;
  const loud = heard.filter(({ stages }) => !isSilent(shownStage(stages)));
  const speaking = loud.length > 0 ? loud : heard.slice(-1);
  // A word in between (`echo done`) is kept by whatever rule applies; if there is nothing else, it is the output.
  const isTalk = ({ stages }: Segment): boolean => TALK.has(programOf(stages[0]!));
  const onlyTalk = speaking.every(isTalk);
  const speakers: SpeakingCommand[] = [];
  let announced: string | null = null;
  for (const segment of speaking) {
    if (!onlyTalk && isTalk(segment)) announced = plainText(segment);
    else {
      for (const speaker of speakersOfSegment(segment, depth))
        addSpeaker(speakers, { ...speaker, announced: announced ?? speaker.announced });
      announced = null;
    }
  }
  return speakers.length > MOST ? [] : speakers;
}

function addSpeaker(speakers: SpeakingCommand[], one: SpeakingCommand): void {
  const last = speakers.at(-1);
  const isSame = last && one.announced === null && last.words.join(" ") === one.words.join(" ") && last.verbatim === one.verbatim;
  if (isSame) speakers[speakers.length - 1] = { ...last, anytime: true };
  else speakers.push(one);
}

function speakersOfSegment({ stages, anytime }: Segment, depth: number): readonly SpeakingCommand[] {
  const shown = shownStage(stages);
  const inner = shellScript(shown);
  if (inner !== null) return speakersIn(inner, depth + 1).map((one) => (anytime ? { ...one, anytime } : one));
  const words = unwrapCommand(shown.words);
  const forms = [...new Set([shown.text, shown.words.join(" "), words.join(" ")])];
  // What xargs runs is a command like any other; other programs at the end of a pipe choose what is shown.
  const isFirst = shown === stages[0] || programOf(shown) === "xargs";
  const verbatim = isFirst
    ? verbatimKind(words)
    : pipedKind(
        words,
        stages.slice(0, stages.indexOf(shown)).map((stage) => unwrapCommand(stage.words)),
      );
  return [{ forms, words, verbatim, anytime, announced: null }];
}

/** The last that does more than hand on. Paths stay paths when they are sorted, or some of them picked out. */
function shownStage(stages: readonly Stage[]): Stage {
  const shown = stages.findLast((stage) => !isTransparent(stage)) ?? stages[0]!;
  const [first, ...others] = stages as [Stage, ...Stage[]];
  return listsPaths(unwrapCommand(first.words)) && others.every((stage) => isTransparent(stage) || picksRows(stage)) ? first : shown;
}

/** `sort`, `uniq` and `grep -v x` of what they are given. */
function picksRows(stage: Stage): boolean {
  const [, ...args] = stage.words;
  if (/^(?:sort|uniq)$/.test(programOf(stage))) return args.every((arg) => /^-[a-zA-Z]+$/.test(arg) && !/^-.*[ck\d]/.test(arg));
  return (
    /^[ef]?grep$/.test(programOf(stage)) &&
    args.filter((arg) => !arg.startsWith("-")).length <= 1 &&
    !args.some((arg) => /^-[a-zA-Z]*[cnoABCHbZz]|^--(?!invert)/.test(arg))
  );
}

/** What `echo` prints, up to the first thing that the shell puts into it. Too short a text may be anybody's. */
function plainText({ stages }: Segment): string | null {
  const [{ words }] = stages as [Stage];
  const text = words.slice(/^-[neE]+$/.test(words[1] ?? "") ? 2 : 1).join(" ");
  const plain = (/^[^$`\\%\n]*/.exec(text)?.[0] ?? "").trimEnd();
  return stages.length === 1 && plain.length >= SHORTEST ? plain : null;
}

const SHORTEST = 3;

/** Programs that say nothing when all goes well. What they say when it does not is kept by any rule. */
const SILENT = wordSet(
  "cd export set unset source . true : false sleep mkdir rmdir touch rm cp mv ln chmod chown test [ wait umask alias shopt ulimit trap kill local declare readonly exit return popd pushd hash type read shift break continue let getopts",
);
const TALK = new Set(["echo", "printf"]);
/** At the end of a pipe these hand on what they are given, or its head or tail. */
const TRANSPARENT = new Set(["tail", "head", "tee", "cat", "less", "more", "sponge", "ts", "unbuffer"]);

const programOf = ({ words }: Stage): string => (words[0] ?? "").replace(/^.*\//, "");
const isSilent = (stage: Stage): boolean => SILENT.has(programOf(stage)) || (programOf(stage) === "git" && stage.words[1] === "add");

/** `tail -n 5 other.log` reads a file of its own; `tail -n 5` only hands on. */
function isTransparent(stage: Stage): boolean {
  const program = programOf(stage);
  if (!TRANSPARENT.has(program)) return false;
  if (program === "tee") return true;
  const operands = stage.words.slice(1).filter((word, n, all) => !word.startsWith("-") && !/^-[ncs]$/.test(all[n - 1] ?? ""));
  return operands.every((word) => /^\+?\d+$/.test(word));
}

/** `bash -lc "…"`: the script it runs. */
function shellScript({ words }: Stage): string | null {
  const inner = unwrapCommand(words);
  if (!/^(?:ba|da|z|k)?sh$/.test(inner[0] ?? "")) return null;
  const at = inner.findIndex((word) => /^-[a-z]*c$/.test(word));
  return at === -1 ? null : (inner[at + 1] ?? null);
}
