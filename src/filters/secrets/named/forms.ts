import { matchAt } from "../match-at.ts";

export interface Name {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** How a value is tied to a name, and where it starts. */
export interface NamedForm {
  readonly at: number;
  /** `env`: `NAME=value`; `line`: when nothing else is on the line. `flag`: `--name value`. `mark`: between tags. `loose`: a comparison, a call, a sentence. */
  readonly kind: "plain" | "env" | "line" | "flag" | "mark" | "loose";
  /** A quoted value only. */
  readonly strict: boolean;
}

/** Also when the text was escaped for JSON, HTML or an address. */
const TIE =
  /(?:\\{0,3}["'`]|\\{1,3}u0022|&quot;|&#3[49];|%22)?\]?\)?[ \t]{0,20}(:=|=>|[=!]==?|\|\|=|\?=|\+=|=|:(?!:)|%3[ADad]|(?<=[ \t])\|(?=[ \t]))[ \t]{0,20}/y;
/** A block of YAML: the value is on the next line. */
const BLOCK = /[|>][+-]?[ \t]{0,4}\r?\n[ \t]{1,40}(?=\S)/y;
/** `: string =`, `: &str =`, `: Optional[str] =` */
const TYPED = /&?(?:'static )?[A-Za-z_][\w<>[\].|? ]{0,40}?[ \t]?=[ \t]?(?=[brfu@]?["'`])/y;
/** `{"name": "DB_PASSWORD", "value": "…"}`, `- name: X` and `value: …` on the next line, `<add key="Password" value="…"/>` */
const BESIDE = /\\{0,3}["']?[ \t]{0,20},?[ \t]{0,20}(?:\r?\n[ \t]{0,60})?\\{0,3}["']?[Vv]alue\\{0,3}["']?[ \t]{0,20}[:=][ \t]{0,20}/y;
const NAMED = /(?:[Nn]ame|[Kk]ey)\\{0,3}["']?[ \t]{0,20}[:=][ \t]{0,20}\\{0,3}["']?$/;
const TAG = /["']?[ \t]{0,4}>(?=[^<>\s])/y;
const IN_TAG = /<[^<>\n]{0,60}$/;
/** `define("PASSWORD", "…")`, `setPassword("…")` */
const ARGUMENT = /(?:["'`][ \t]{0,4},[ \t]{0,8}|\()(?=["'`])/y;
const SPACE = /[ \t]{1,20}(?=[^\s-])/y;
const SAID = /[ \t](?:is|was)(?::|[ \t])[ \t]?(?=\S)|[ \t](?=["'`])/y;
/** Two columns and nothing else on the line. */
const COLUMN = /[ \t]{2,60}(?=[^\s"'`]{8,}[ \t]{0,20}(?:\r?\n|$))/y;

export function formAfter(text: string, name: Name): NamedForm | null {
  if (!isTied(text, name)) return null;
  const tie = matchAt(TIE, text, name.end);
  if (tie) return assigned(text, name, tie[0], tie[1]!);
  const before = text.slice(Math.max(0, name.start - 64), name.start);
  const after = (pattern: RegExp): number => {
    const length = matchAt(pattern, text, name.end)?.[0].length;
    return length === undefined ? -1 : name.end + length;
  };
  let at = NAMED.test(before) ? after(BESIDE) : -1;
  if (at >= 0) return { at, kind: "plain", strict: false };
  at = IN_TAG.test(before) ? after(TAG) : -1;
  if (at >= 0) return { at, kind: "mark", strict: false };
  at = name.text.startsWith("-") ? after(SPACE) : -1;
  if (at >= 0) return { at, kind: "flag", strict: false };
  // `"/etc/passwd", "utf8"`, and what one passes is no password.
  if (before.endsWith("/") || /^pass$/i.test(name.text)) return null;
  at = after(ARGUMENT);
  if (at >= 0) return { at, kind: "loose", strict: true };
  at = LINE_START.test(before) ? after(COLUMN) : -1;
  if (at < 0) at = after(SAID);
  return at >= 0 ? { at, kind: "loose", strict: false } : null;
}

function assigned(text: string, name: Name, tie: string, sign: string): NamedForm {
  const at = name.end + tie.length;
  if (sign.endsWith("==")) return { at, kind: "loose", strict: true };
  if (sign === "|") return { at, kind: "loose", strict: false };
  const typed = sign === ":" ? matchAt(TYPED, text, at) : null;
  if (typed) return { at: at + typed[0].length, kind: "plain", strict: true };
  const block = sign === ":" ? matchAt(BLOCK, text, at) : null;
  if (block) return { at: at + block[0].length, kind: "plain", strict: false };
  if (tie !== "=" || !/^[-.]{0,2}[A-Z][A-Z0-9_]*$/.test(name.text)) return { at, kind: "plain", strict: false };
  const isLine = LINE_START.test(text.slice(Math.max(0, name.start - 24), name.start));
  return { at, kind: isLine ? "line" : "env", strict: false };
}

const LINE_START = /(?:^|\n)[ \t]{0,12}(?:[+-]|export |declare -x )?$/;

/** Most words are followed by something else than what ties a name to a value. */
function isTied(text: string, name: Name): boolean {
  const next = text[name.end] ?? "";
  if (next !== " " && next !== "\t") return next !== "" && "\r\n\"'`\\])=:!|?+>,&%(".includes(next);
  return name.text.startsWith("-") || TIED_LATER.test(text.slice(name.end, name.end + 24));
}
const TIED_LATER = /^[ \t]+(?:[=:!|?+>'"`,]|is\b|was\b|value\b|\]|$)|^[ \t]{2}/i;
