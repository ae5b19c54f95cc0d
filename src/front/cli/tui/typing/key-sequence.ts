import type { Key } from "./keys.ts";

/** What stands at the front of the input: how long it is, and which keys it means. Answers of the terminal mean none. */
interface ReadSequence {
  readonly length: number;
  readonly keys: readonly Key[];
}

const CURSOR: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  I: "focus-in",
  M: "enter",
  O: "focus-out",
  P: "f1",
  Q: "f2",
  S: "f4",
  Z: "shift-tab",
};
const TILDE: Readonly<Record<string, string>> = {
  1: "home",
  2: "insert",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};
const CONTROL: Readonly<Record<number, string>> = {
  0: "ctrl-space",
  8: "backspace",
  9: "tab",
  10: "ctrl-j",
  13: "enter",
  28: "ctrl-\\",
  29: "ctrl-]",
  30: "ctrl-^",
  31: "ctrl-_",
  127: "backspace",
};
/** Keys that the kitty protocol and `modifyOtherKeys` send by their code. */
const BY_CODE: Readonly<Record<number, string>> = { 9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace" };
/** Codes of keys that are no characters begin here. */
const PRIVATE_USE = 0xe000;
const RELEASED = "3";

// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal sends
const CSI = /^\u001b\[([\d;:?<>=!]*)([ -/]*[@-~])/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal sends
const CSI_BEGUN = /^\u001b\[[\d;:?<>=!]*[ -/]*$/;
/** Answers to queries end like this: OSC, DCS, APC, PM and SOS. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal sends
const STRING = /^\u001b[\]P_^X][^\u0007\u001b]*(?:\u0007|\u001b\\)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal sends
const STRING_BEGUN = /^\u001b[\]P_^X][^\u0007\u001b]*\u001b?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that is no control character
const TEXT = /^[^\u0000-\u001f\u007f]+/;

/** Reads the front of the input. `more`: it may be the beginning of something longer. */
export function readSequence(input: string): ReadSequence | "more" {
  if (!input.startsWith("\u001b")) return readPlain(input);
  if (input === "\u001b" || input === "\u001b\u001b" || CSI_BEGUN.test(input) || input === "\u001bO") return "more";
  const csi = CSI.exec(input);
  if (csi) return { length: csi[0].length, keys: csiKeys(csi[1]!, csi[2]!) };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal sends
  const single = /^\u001bO([A-Z])/.exec(input);
  if (single) return { length: 3, keys: named(CURSOR[single[1]!], "") };
  const string = STRING.exec(input);
  if (string) return { length: string[0].length, keys: [] };
  if (STRING_BEGUN.test(input)) return "more";
  return readAlt(input);
}

/** Escape, and then something that is a key by itself. */
function readAlt(input: string): ReadSequence | "more" {
  const rest = input.slice(1);
  if (rest.startsWith("\u001b") && !"[O".includes(rest[1]!)) return { length: 1, keys: [{ name: "escape" }] };
  const char = String.fromCodePoint(rest.codePointAt(0)!);
  if (TEXT.test(char)) return { length: 1 + char.length, keys: [{ name: `alt-${char}` }] };
  const inner = readSequence(rest);
  if (inner === "more") return "more";
  return { length: 1 + inner.length, keys: inner.keys.map(({ name }) => ({ name: `alt-${name}` })) };
}

function readPlain(input: string): ReadSequence {
  const text = TEXT.exec(input)?.[0];
  if (text !== undefined) return { length: text.length, keys: [{ name: "text", text }] };
  const code = input.charCodeAt(0);
  return { length: 1, keys: [{ name: CONTROL[code] ?? `ctrl-${String.fromCharCode(code + 96)}` }] };
}

function csiKeys(parameters: string, final: string): Key[] {
  // Answers of the terminal and reports of the mouse.
  if (/^[?<>=!]/.test(parameters)) return [];
  const [first = "", modifiers = "", third = ""] = parameters.split(";");
  const [bits = "", event = ""] = modifiers.split(":");
  if (event === RELEASED) return [];
  if (final === "u") return byCode(first, bits);
  if (final === "~") return first === "27" ? byCode(third, bits) : named(TILDE[first], bits);
  return named(CURSOR[final], bits);
}

function named(name: string | undefined, bits: string): Key[] {
  return name === undefined ? [] : [{ name: `${prefixOf(bits)}${name}` }];
}

/** A key by its code point; `97:65` is an `a` that the keyboard shifts to an `A`. */
function byCode(codes: string, bits: string): Key[] {
  const [code = "", shifted = ""] = codes.split(":");
  const point = Number(code);
  const prefix = prefixOf(bits);
  if (!Number.isInteger(point) || point <= 0 || point > 0x10ffff || (point >= PRIVATE_USE && point < 0xf900)) return [];
  const known = BY_CODE[point];
  const char = String.fromCodePoint(point);
  if (prefix === "" || prefix === "shift-") {
    if (known !== undefined && known !== "space") return [{ name: prefix + known }];
    const text = prefix === "" ? char : shifted === "" ? char.toUpperCase() : String.fromCodePoint(Number(shifted));
    return TEXT.test(text) ? [{ name: "text", text }] : [];
  }
  return [{ name: prefix + (known ?? char.toLowerCase()) }];
}

/** The first bit is Shift, then Alt, then Ctrl; one more than their sum is sent. Caps Lock and Num Lock say nothing. */
function prefixOf(bits: string): string {
  const held = (Number.parseInt(bits, 10) || 1) - 1;
  return `${held & 4 ? "ctrl-" : ""}${held & 2 ? "alt-" : ""}${held & 1 ? "shift-" : ""}`;
}
