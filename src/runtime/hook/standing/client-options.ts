/** The values of an option on a command line: `--name value`, `--name=value`, and all words behind it up to the next option where it takes several. */
export function valuesOf(words: readonly string[], names: readonly string[], takes: "one" | "several" = "one"): readonly string[] {
  const found: string[] = [];
  for (const [n, word] of words.entries()) {
    const name = names.find((one) => word === one || (one.startsWith("--") && word.startsWith(`${one}=`)));
    if (name === undefined) continue;
    if (word !== name) found.push(word.slice(name.length + 1));
    else {
      const rest = words.slice(n + 1);
      const end = takes === "one" ? 1 : rest.findIndex((one) => one.startsWith("-"));
      found.push(...rest.slice(0, end === -1 ? rest.length : end));
    }
  }
  return found;
}

export const hasOption = (words: readonly string[], names: readonly string[]): boolean =>
  words.some((word) => names.some((name) => word === name || (name.startsWith("--") && word.startsWith(`${name}=`))));

/** Rules in one word, with commas or blanks between them; those inside of brackets belong to the rule. */
export function rulesIn(word: string): readonly string[] {
  const found: string[] = [];
  let open = 0;
  let text = "";
  for (const char of word) {
    open += char === "(" ? 1 : char === ")" ? -1 : 0;
    if (open <= 0 && /[\s,]/.test(char)) {
      found.push(text);
      text = "";
    } else text += char;
  }
  return [...found, text].map((one) => one.trim()).filter((one) => one !== "");
}
