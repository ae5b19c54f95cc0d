/** What is wrong with a selector and where, null when nothing is seen. The library that selects takes many a slip for something else, silently. */
export function selectorFlaw(selector: string): string | null {
  const open: Open[] = [];
  /** Something to the left that a combinator or a comma can follow. */
  let standing = false;
  let combinator: { sign: string; at: number } | null = null;
  let at = 0;
  const where = (place = at) => `at character ${place + 1}`;
  const name = () => matchAt(NAME, selector, at);

  while (at < selector.length) {
    const sign = selector[at]!;
    const part = matchAt(SIMPLE, selector, at);
    if (part !== "") {
      at += part.length;
      [standing, combinator] = [true, null];
    } else if (/\s/.test(sign)) at++;
    else if (sign === ".") return `a class name is missing after ".", ${where()}`;
    else if (sign === "#") return `a name is missing after "#", ${where()}`;
    else if (sign === "[") {
      const attribute = matchAt(ATTRIBUTE, selector, at);
      if (attribute === "") return `the attribute in "[" is not understood or "]" is missing, ${where()}`;
      at += attribute.length;
      [standing, combinator] = [true, null];
    } else if (sign === ":") {
      const start = at;
      if (selector[at + 1] === ":") return `"::" names a part that is not an element, ${where()}`;
      at++;
      const pseudo = name();
      if (pseudo === "") return `a name is missing after ":", ${where(start)}`;
      at += pseudo.length;
      [standing, combinator] = [true, null];
      if (selector[at] !== "(") continue;
      if (TAKES_SELECTORS.has(pseudo.toLowerCase())) {
        // CSS has no such thing, and each one would search everything below each match of the other.
        if (isHas(pseudo) && open.some((around) => isHas(around.pseudo))) return `":has" stands inside another ":has", ${where(start)}`;
        open.push({ at: start, pseudo });
        if (open.length > DEEPEST) return `it is nested more than ${DEEPEST} deep, ${where()}`;
        at++;
        standing = false;
      } else {
        const argument = matchAt(ARGUMENT, selector, at);
        if (argument === "") return `")" is missing after ":${pseudo}(", ${where(start)}`;
        at += argument.length;
      }
    } else if (sign === ")") {
      if (open.length === 0) return `")" closes nothing, ${where()}`;
      if (combinator) return missingAfter(combinator);
      if (!standing) return `a selector is missing before ")", ${where()}`;
      open.pop();
      at++;
    } else if (sign === ">" || sign === "+" || sign === "~") {
      if (combinator && combinator.sign !== ",") return `"${sign}" follows "${combinator.sign}", ${where()}`;
      combinator = { sign, at };
      standing = false;
      at++;
    } else if (sign === ",") {
      if (combinator) return missingAfter(combinator);
      if (!standing) return `a selector is missing before ",", ${where()}`;
      combinator = { sign, at };
      standing = false;
      at++;
    } else return `"${sign}" is not understood, ${where()}`;
  }
  const unclosed = open.at(-1);
  if (unclosed) return `")" is missing after ":${unclosed.pseudo}(", ${where(unclosed.at)}`;
  if (combinator) return missingAfter(combinator);
  return standing ? null : "it is empty";
}

interface Open {
  readonly at: number;
  readonly pseudo: string;
}
const DEEPEST = 16;
const isHas = (pseudo: string): boolean => pseudo.toLowerCase() === "has";
const TAKES_SELECTORS = new Set(["not", "is", "where", "has", "matches"]);

const LETTER = String.raw`(?:[\w\-\u0080-\uffff]|\\[^\n])`;
const NAME = new RegExp(`${LETTER}+`, "y");
/** A type, a class or an id. */
const SIMPLE = new RegExp(String.raw`[.#]${LETTER}+|(?:\*|${LETTER}+)(?:\|(?:\*|${LETTER}+))?`, "y");
const ATTRIBUTE = new RegExp(
  String.raw`\[\s*${LETTER}+(?:\|${LETTER}+)?\s*(?:[~|^$*!]?=\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|(?:[^\s"'\]\\]|\\.)+)\s*[a-zA-Z]?\s*)?\]`,
  "y",
);
/** Up to its own `)`; others may stand in quotes. */
const ARGUMENT = /\((?:[^()"'\\]|\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\([^()]*\))*\)/y;

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

const missingAfter = ({ sign, at }: { sign: string; at: number }) => `a selector is missing after "${sign}", at character ${at + 1}`;
