import { makeOnce } from "../../../text/make-once.ts";
import { decoded } from "../base64.ts";
import { isFiller, isSample } from "../placeholder.ts";
import { isRandom, isWordy } from "../randomness.ts";
import type { SecretSpan } from "../span.ts";
import { startsHere } from "./key-start.ts";
import type { Infix, TokenFormat } from "./tokens.ts";
import { unwrapped } from "./unwrap-value.ts";

/** A format ready to be tried where its prefix stands, or the part of it that a line has room for. */
export interface Prefixed {
  readonly prefix: string;
  /** Nothing else begins like this, so that it is known even where letters are glued to its front; `unless a word`: they may make it one. */
  readonly distinct: "always" | "unless a word" | "never";
  /** `end` is where the run around `at` ends. */
  find(text: string, at: number, end: number): SecretSpan | null;
}

export function createPrefixed({ family, prefix, body, doubtful }: TokenFormat): Prefixed {
  const whole = makeOnce(() => new RegExp(`${quoted(prefix)}${body}(?![A-Za-z0-9])`, "y"));
  const shown = isAddress(prefix) ? prefix.length : 0;
  return {
    prefix,
    distinct: distinctness(prefix, { doubtful, shown }),
    find(text, at) {
      const found = unwrapped(text, at, whole());
      if (!found) return null;
      const secret = found.value.slice(prefix.length);
      if (isSample(secret) || HASH.test(text.slice(Math.max(0, at - 80), at))) return null;
      if (doubtful && (isByChance(text, at) || !isRandom(secret) || !isOpen(text.slice(at + prefix.length, found.end)))) return null;
      return { start: at + shown, end: found.end, family, value: found.value.slice(shown) };
    },
  };
}

function distinctness(prefix: string, { doubtful, shown }: { doubtful: boolean; shown: number }): Prefixed["distinct"] {
  if (SHORT_END.test(prefix) && (!doubtful || WIDESPREAD.has(prefix))) return "unless a word";
  return doubtful || prefix.length < 4 || shown > 0 || WORD_END.test(prefix) ? "never" : "always";
}

/** Doubtful, and so common that they are looked for all the same. */
const WIDESPREAD = new Set(["sk-", "hf_"]);
/** `monkey-…`, `rest-api-…`: words end like these prefixes. */
const WORD_END = /^(?:key|api|sdk|mob|pul|pat|sat)[-.]$/;
/** `task_test_…`, `work-…` */
const SHORT_END = /^[a-z]{1,2}[-_]/;

export const quoted = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
/** The prefix is an address or a name: it may be shown, and only what follows is secret. */
const isAddress = (prefix: string): boolean => /^[/.]|\.[a-z]+\/|[=:]$/.test(prefix);

/** Behind these words comes a hash, and a prefix inside of it by chance. */
const HASH = /sha\d{1,3}[=:-][\w+/-]{0,72}$/;

/** Inside of base64, or of something longer that is random itself. */
function isByChance(text: string, at: number): boolean {
  const before = /[\w+/-]{1,64}[_+/-]$/.exec(text.slice(Math.max(0, at - 65), at))?.[0];
  return before !== undefined && (/[+/]$/.test(before) || before.length < 4 || !isWordy(before));
}

/** The first line of a wrapped one is not a word of its own: the next may be anything. */
function isOpen(value: string): boolean {
  const line = value.indexOf("\n");
  return line < 6 || !isWordy(value.slice(0, line));
}

const MAX_HEAD = 48;
/** What stands before and behind a middle. */
export function around(text: string, at: number, { family, head, tail }: Infix): SecretSpan | null {
  const first = head.exec(text.slice(Math.max(0, at - MAX_HEAD), at))?.[0];
  if (first === undefined || !startsHere(text, at - first.length)) return null;
  const found = unwrapped(text, at, tail);
  if (!found || isFiller(found.value)) return null;
  return { start: at - first.length, end: found.end, family, value: first + found.value };
}

/** Three parts in base64, the first of which says how it was signed; five when it is encrypted; two when it was cut. */
const PART = "[A-Za-z0-9_-]";
const MAX_HEADER = 2048;
const JWT = new RegExp(
  `eyJ${PART}{8,${MAX_HEADER}}\\.(?:eyJ${PART}{2,8192}(?:\\.${PART}{0,2048})?|${PART}{2,8192}(?:\\.${PART}{0,8192}){1,3})`,
  "y",
);
export function jsonWebToken(text: string, at: number, end: number): SecretSpan | null {
  if (end - at > MAX_HEADER || !/[.\r\n]/.test(text[end] ?? "")) return null;
  const found = unwrapped(text, at, JWT);
  if (!found || !/"(?:alg|typ|kid|enc|cty|jku|x5t)"/.test(decoded(found.value.slice(0, found.value.indexOf("."))))) return null;
  return { start: at, end: found.end, family: "bearer", value: found.value };
}
