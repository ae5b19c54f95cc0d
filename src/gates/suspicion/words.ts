/**
 * Which words were heard. It keeps no word, only marks in a table of fixed size: what it says it never heard, it never heard;
 * of what it says it heard, a few it did not. So it errs towards silence, and nothing that was said can be read out of it.
 */
export interface Words {
  /** `but` is a text whose words do not count: an error that repeats what was asked brings no news. */
  add(text: string, but?: string): void;
  /** The word itself, in any case. */
  has(word: string): boolean;
  /** The word, or all the words it is made of: a text about a user service is about `UserService`. */
  holds(name: string): boolean;
}

const BITS = 1 << 20;
const MOST_TEXT = 500_000;
const LONGEST = 200;

export function createSaidWords(): Words {
  const table = new Uint32Array(BITS / 32);
  const mark = (word: string) => {
    for (const at of places(word)) table[at >>> 5]! |= 1 << (at & 31);
  };
  const isMarked = (word: string) => places(word).every((at) => (table[at >>> 5]! & (1 << (at & 31))) !== 0);
  return {
    add(text, but) {
      const left = but === undefined ? null : new Set([...wordsIn(but)].flatMap((word) => [...formsOf(word)]));
      for (const word of wordsIn(text)) for (const form of formsOf(word)) if (!left?.has(form)) mark(form);
    },
    has: (word) => isMarked(word.toLowerCase()),
    holds: (name) => isMarked(name.toLowerCase()) || partsOf(name).every((part) => part.length < SHORT || isMarked(part)),
  };
}

/** Shorter ones are everywhere. */
const SHORT = 3;

/** Each once: most words of a text stand in it many times. */
const wordsIn = (text: string): Set<string> => new Set(text.slice(0, MOST_TEXT).match(/[\w\u0080-\uffff][\w.@\-\u0080-\uffff]*/g));

/** The words that are heard of with this one: it, the file without its ending, and everything it is made of. */
function* formsOf(word: string): Generator<string> {
  if (word.length > LONGEST) return;
  const bare = word.replace(/[.@-]+$/, "");
  yield bare.toLowerCase();
  const ending = bare.lastIndexOf(".");
  if (ending > 0) yield bare.slice(0, ending).toLowerCase();
  if (/[.@]/.test(bare)) for (const piece of bare.split(/[.@]+/)) yield piece.toLowerCase();
  for (const part of partsOf(bare)) if (part.length >= SHORT) yield part;
}

/** `getUserIds` and `get_user_id` are made of the same words. */
const partsOf = (name: string): string[] =>
  name
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u)
    .filter((part) => part !== "")
    .map((part) => part.toLowerCase().replace(/(?<=...)s$/, ""));

function places(word: string): readonly [number, number, number] {
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let n = 0; n < word.length; n++) {
    const code = word.charCodeAt(n);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13);
  }
  const step = (b | 1) >>> 0;
  const first = (a ^ (a >>> 15)) >>> 0;
  return [first % BITS, (first + step) % BITS, (first + 2 * step) % BITS];
}
