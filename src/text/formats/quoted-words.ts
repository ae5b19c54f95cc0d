const ESCAPES: Record<string, string> = { n: "\n", t: "\t", '"': '"', "\\": "\\" };

/** The words of a line, as they were typed. Quoted parts and plain ones that touch make one word, as in a shell. Throws what `wrong` makes of the message. */
export function splitQuoted(text: string, wrong: (message: string) => Error): string[] {
  return [...text.matchAll(/(?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'])+|["'].*/gs)].map(([raw]) => {
    if (/^(?:"(?:\\.|[^"\\])*$|'[^']*$)/s.test(raw)) throw wrong(`A quote is not closed: ${raw.slice(0, 40)}`);
    return raw;
  });
}

/** A word without its quotes. Outside double quotes a backslash is a backslash, so that patterns can be typed as they are. */
export const unquote = (raw: string): string =>
  raw.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/gs, (_, double: string | undefined, single: string | undefined) =>
    double === undefined ? single! : double.replace(/\\([nt"\\])/g, (_all, char: string) => ESCAPES[char]!),
  );
