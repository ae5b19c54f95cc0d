/**
 * What a text is compared by. An atom is a run of letters, digits and underscores, and of the points between digits: `8080`, `10.0.3.7`, `src`, `fooBar`.
 * A path or an address is the atoms it is made of, so `src/{a,b}.ts` says as much as `src/a.ts` and `src/b.ts`.
 */
export type VisitAtom = (from: number, to: number, isValue: boolean) => void;

const NONE = 0;
const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 3;
const UNDERSCORE = 4;
/** Only paths, addresses and assignments hold these. */
const JOINT = 5;
/** These stand inside names as well as behind words. */
const HYPHEN = 6;
const QUOTE = 7;

const CLASSES = new Uint8Array(128);
for (let code = 0; code < 128; code++) CLASSES[code] = classOf(String.fromCharCode(code));

function classOf(char: string): number {
  if (/[a-z]/.test(char)) return SMALL;
  if (/[A-Z]/.test(char)) return CAPITAL;
  if (/\d/.test(char)) return DIGIT;
  if (char === "_") return UNDERSCORE;
  if ("/\\@=#$~".includes(char)) return JOINT;
  if (".-:".includes(char)) return HYPHEN;
  return "\"'`".includes(char) ? QUOTE : NONE;
}

/** Letters of other scripts are letters; their punctuation, drawn lines and pictures are not. */
function classAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 128) return CLASSES[code]!;
  // Behind the end of a text the code is not a number.
  return (code >= 0xc0 && code < 0x2000 && code !== 0xd7 && code !== 0xf7) ||
    (code >= 0x3040 && code < 0xd800) ||
    (code >= 0xf900 && code < 0xfe00)
    ? SMALL
    : NONE;
}

const isWord = (kind: number): boolean => kind >= SMALL && kind <= UNDERSCORE;

/**
 * Visits each atom of a text, and tells whether it is a value: a number, an identifier (a digit, an underscore or a capital inside), part of a path, an
 * address, an assignment or a name with a hyphen, or the first or last word in quotes. Other words are prose, and a letter alone is none of them.
 */
export function visitAtoms(text: string, visit: VisitAtom): void {
  for (let at = 0; at < text.length; ) {
    let kind = classAt(text, at);
    if (!isWord(kind)) {
      at++;
      continue;
    }
    const from = at;
    let marked = kind === DIGIT;
    // A line drawn with underscores is no name.
    let isLine = kind === UNDERSCORE;
    for (at++; at < text.length; at++) {
      const before = kind;
      kind = classAt(text, at);
      if (kind === NONE || kind > UNDERSCORE) {
        if (before !== DIGIT || text.charCodeAt(at) !== POINT || classAt(text, at + 1) !== DIGIT) break;
        kind = DIGIT;
      }
      if (kind !== SMALL) marked = true;
      if (kind !== UNDERSCORE) isLine = false;
    }
    const isLetter = at - from === 1 && !marked;
    visit(from, at, !isLine && (marked || (!isLetter && (isJoined(text, from - 1, -1) || isJoined(text, at, 1)))));
  }
}

const POINT = 46;

/** Whether what stands beside a word makes it part of a name, or of what is quoted. `don't` quotes nothing, and a full stop ends a sentence. */
function isJoined(text: string, beside: number, step: 1 | -1): boolean {
  const kind = classAt(text, beside);
  if (kind === JOINT) return true;
  if (kind === HYPHEN) return isWord(classAt(text, beside + step)) || text.startsWith("::", Math.min(beside, beside + step));
  return kind === QUOTE && !isWord(classAt(text, beside + step));
}
