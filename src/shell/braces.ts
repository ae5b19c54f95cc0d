const MAX_WORDS = 1024;
const MAX_LENGTH = 32 * 1024;

/**
 * `a{b,c}` → `ab`, `ac`, `{1..3}` → 1, 2, 3, on the source text of a word, which is where bash does it too.
 * null when there would be too many words to list.
 */
export function expandBraces(text: string): readonly string[] | null {
  const done: string[] = [];
  const open = [text];
  let length = 0;
  while (open.length > 0) {
    const next = open.pop()!;
    const brace = firstBrace(next);
    if (!brace) {
      done.push(next);
      length += next.length;
    } else {
      const choices = brace.choices();
      if (!choices || choices.length > MAX_WORDS) return null;
      for (let i = choices.length - 1; i >= 0; i--) {
        const word = next.slice(0, brace.start) + choices[i] + next.slice(brace.end);
        length += word.length;
        open.push(word);
      }
    }
    if (done.length + open.length > MAX_WORDS || length > MAX_LENGTH) return null;
  }
  return done;
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly choices: () => readonly string[] | null;
}

function firstBrace(text: string): Brace | null {
  const closes = pairs(text);
  for (const [start, { end, commas }] of closes) {
    const inner = text.slice(start + 1, end);
    if (commas.length > 0) return { start, end: end + 1, choices: () => split(text, start, end, commas) };
    const range = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(inner);
    if (range) return { start, end: end + 1, choices: () => sequence(range[1]!, range[2]!, range[3]) };
  }
  return null;
}

const split = (text: string, start: number, end: number, commas: readonly number[]): string[] =>
  [...commas, end].map((at, n) => text.slice((n === 0 ? start : commas[n - 1]!) + 1, at));

/** Every `{` outside quotes with its `}`, in one pass. */
function pairs(text: string): [number, { end: number; commas: number[] }][] {
  const found: [number, { end: number; commas: number[] }][] = [];
  const stack: { start: number; commas: number[]; braces: boolean }[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "\\") i++;
    else if (char === "'") i = skip(text, i, "'");
    else if (char === '"') i = skip(text, i, '"');
    else if (char === "`") i = skip(text, i, "`");
    else if (char === "{" || char === "(") stack.push({ start: i, commas: [], braces: char === "{" && text[i - 1] !== "$" });
    else if (char === "," && stack.at(-1)?.braces) stack.at(-1)!.commas.push(i);
    else if (char === "}" || char === ")") {
      const top = stack.pop();
      if (top?.braces && char === "}") found.push([top.start, { end: i, commas: top.commas }]);
    }
  }
  return found.sort(([a], [b]) => a - b);
}

function skip(text: string, start: number, quote: string): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === "\\" && quote !== "'") i++;
    else if (text[i] === quote) return i;
  }
  return text.length;
}

function sequence(from: string, to: string, by = "1"): string[] | null {
  const letters = /[A-Za-z]/.test(from) && /[A-Za-z]/.test(to);
  if (!letters && /[A-Za-z]/.test(from + to)) return null;
  const [a, b] = letters ? [from.charCodeAt(0), to.charCodeAt(0)] : [Number(from), Number(to)];
  const step = Math.abs(Number(by)) || 1;
  const count = Math.floor(Math.abs(b - a) / step) + 1;
  if (count > MAX_WORDS) return null;
  const width = !letters && /^-?0\d/.test(from) ? from.length : 0;
  return Array.from({ length: count }, (_, n) => {
    const value = a + (b >= a ? n : -n) * step;
    return letters ? String.fromCharCode(value) : String(value).padStart(width, "0");
  });
}
