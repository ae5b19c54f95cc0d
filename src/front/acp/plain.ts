/** Text of a model or a stranger, for the eyes of a person: characters that hide or turn around what is there are spelled out. */
export const plain = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(
      /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,
      (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, "0")}`,
    );

/** A block that nothing in the text can end. */
export function fenced(text: string, language = ""): string {
  const longest = (text.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.endsWith("\n") ? text : `${text}\n`}${fence}`;
}

/** The beginning and the end, where it is longer than this. */
export function bounded(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half).toWellFormed()}\n[… ${left} characters left out …]\n${text.slice(-half).toWellFormed()}`;
}
