/** Half a character cannot be sent to a provider. */
export const wellFormed = (text: string): string => (text.isWellFormed() ? text : text.toWellFormed());

/** For results: what a server says is data, and stays as it came as far as it can be seen. What hides a second text in it, or turns it around, goes. */
export function withoutDeception(text: string): string {
  const seen = wellFormed(text).replace(NEVER_SEEN, (run) => (run.startsWith(BLACK_FLAG) ? run : ""));
  // What was taken out stands between no two others.
  let end = -1;
  let left = "";
  return seen.replace(IN_PLACE, (char, at: number) => {
    if (at !== end) left = before(seen, at);
    end = at + char.length;
    if (!isInPlace(char, left, after(seen, end))) return "";
    left = char;
    return char;
  });
}

/** Text direction, tags, invisible operators, fillers, annotations. Three flags are written with tags. */
const NEVER_SEEN =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[\u115f\u1160\u17b4\u17b5\u180e\u202a-\u202e\u2060-\u206f\u3164\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}\u{e01f0}-\u{e0fff}]+/gu;
const BLACK_FLAG = "\u{1f3f4}";

/** Characters that have their place in some writing, and hide something anywhere else. */
// biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself
const IN_PLACE = /[\u00ad\u034f\u061c\u180b-\u180d\u180f\u200b-\u200f\ufe00-\ufe0f\ufeff\u{e0100}-\u{e01ef}]/gu;

/** Whether a character means something between these two. */
function isInPlace(char: string, left: string, right: string): boolean {
  if (char === "\u200b") return UNSPACED.test(left) && UNSPACED.test(right);
  if (char === "\u200c" || char === "\u200d") return JOINED.test(left) || JOINED.test(right) || (EMOJI_END.test(left) && EMOJI.test(right));
  if (char === "\ufe0e" || char === "\ufe0f") return /\p{Emoji}/u.test(left);
  if (char === "\u034f") return /\p{M}/u.test(right);
  if (char === "\ufeff") return left === "" || left === "\n";
  if (char >= "\u180b" && char <= "\u180f") return /(?=\p{L})\p{Script=Mongolian}/u.test(left);
  if (char >= "\ufe00" && char <= "\ufe0d") return VARIED.test(left);
  if (char.length === 2) return /\p{Ideographic}/u.test(left);
  // Soft hyphens and marks of direction: one is enough.
  return !/[\u00ad\u061c\u200e\u200f]/.test(left);
}

/** Scripts whose letters are joined or kept apart by a character of its own. */
const JOINED =
  /[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mandaic}\p{scx=Nko}\p{scx=Mongolian}\p{scx=Phags_Pa}\p{scx=Devanagari}\p{scx=Bengali}\p{scx=Gurmukhi}\p{scx=Gujarati}\p{scx=Oriya}\p{scx=Tamil}\p{scx=Telugu}\p{scx=Kannada}\p{scx=Malayalam}\p{scx=Sinhala}\p{scx=Khmer}\p{scx=Myanmar}\p{scx=Tibetan}\p{scx=Balinese}\p{scx=Javanese}\p{scx=Tifinagh}]/u;
/** Scripts that are written without blanks between words. */
const UNSPACED = /[\p{scx=Khmer}\p{scx=Thai}\p{scx=Lao}\p{scx=Myanmar}\p{scx=Tibetan}\p{scx=Javanese}\p{scx=Balinese}]/u;
const EMOJI = /\p{Extended_Pictographic}/u;
const EMOJI_END = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]|\ufe0f|\u{e007f}/u;
/** With forms that a selector chooses between. */
const VARIED =
  /[\p{Sm}\p{Ideographic}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Script=Manichaean}\p{Script=Egyptian_Hieroglyphs}0\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f]/u;

/** The character that ends here, and the one that begins here; empty at the ends. */
const before = (text: string, at: number): string => {
  const last = text.charCodeAt(at - 1);
  return last >= 0xdc00 && last <= 0xdfff ? text.slice(at - 2, at) : text.slice(Math.max(0, at - 1), at);
};
const after = (text: string, at: number): string => (at >= text.length ? "" : String.fromCodePoint(text.codePointAt(at)!));
