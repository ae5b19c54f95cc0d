import { outline, type Stage } from "../shell/outline.ts";
import { unwrapCommand } from "./unwrap.ts";
import { verbatimKind } from "./verbatim.ts";

/** The command whose output this is, in the forms a rule may know it by. */
export interface Subject {
  /** As written first, then without what stands around it: `npx -y pnpm@9 i`, `pnpm i`. */
  readonly forms: readonly string[];
  /** The last form, word by word. */
  readonly words: readonly string[];
  /** The person asked for this very text: a file (`text`), or chosen lines and formats for machines (`lines`). */
  readonly verbatim: "text" | "lines" | null;
}

/** The command whose output a command line shows. null: there are several, or it is not clear which. */
export function subjectOf(command: string): Subject | null {
  return subjectIn(command, 0);
}

function subjectIn(command: string, depth: number): Subject | null {
  const segments = outline(command);
  if (!segments || depth > 3) return null;
  const heard = segments.filter(({ quiet }) => !quiet);
  const loud = heard.filter(({ stages }) => !isSilent(stages.at(-1)!));
  const speaking = loud.length > 0 ? loud : heard;
  // A word in between (`echo done`) is kept by whatever rule applies; if there is nothing else, it is the output.
  const main = speaking.filter(({ stages }) => !TALK.has(programOf(stages[0]!)));
  const [only, ...others] = main.length > 0 ? main : speaking.slice(0, 1);
  if (!only || others.length > 0 || (main.length === 0 && speaking.length > 1)) return null;
  const shown = only.stages.findLast((stage) => !isTransparent(stage)) ?? only.stages[0]!;
  const inner = shellScript(shown);
  if (inner !== null) return subjectIn(inner, depth + 1);
  const words = unwrapCommand(shown.words);
  const forms = [command.trim(), shown.text, shown.words.join(" "), words.join(" ")];
  return { forms: [...new Set(forms)], words, verbatim: verbatimKind(words) ?? (shown === only.stages[0] ? null : "lines") };
}

/** Programs that say nothing when all goes well. What they say when it does not is kept by any rule. */
const SILENT = new Set(
  "cd export set unset source . true : false sleep mkdir rmdir touch rm cp mv ln chmod chown test [ wait umask alias shopt ulimit trap kill local declare readonly exit return popd pushd hash type".split(
    " ",
  ),
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
