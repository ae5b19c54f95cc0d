/** What may differ between two messages that say the same: names in quotes, names with a digit, underscore or parentheses, the last word after a colon. */
const NAMES =
  /'[^'\n]{0,200}'|"[^"\n]{0,200}"|`[^`'\n]{0,200}[`']|‘[^’\n]{0,200}’|“[^”\n]{0,200}”|[\w$.#@-]*[\d_][\w$.#@-]*(?:\(\))?|[\w$]+\([^()\s]{0,100}\)|(?<=: )[^\s'"`‘“]{1,100}$/g;

/** A message with holes, and what stood in them. */
export interface Template {
  readonly parts: readonly string[];
  readonly names: readonly string[];
}

export function templateOf(message: string): Template {
  const parts: string[] = [];
  const names: string[] = [];
  let from = 0;
  for (const { 0: name, index } of message.slice(0, LONG).matchAll(NAMES)) {
    parts.push(message.slice(from, index));
    names.push(name);
    from = index + name.length;
  }
  return { parts: [...parts, message.slice(from)], names };
}

const LONG = 2000;

/** One text for messages of the same parts, with `…` where they differ, and what stood there in each. null: they differ in more than one place. */
export function filled(templates: readonly Template[]): { readonly text: string; readonly names: readonly string[] } | null {
  const { parts, names } = templates[0]!;
  const differ = names.map((name, n) => templates.some((other) => other.names[n] !== name));
  const place = differ.indexOf(true);
  if (place === -1 || differ.includes(true, place + 1)) return null;
  const text = parts.map((part, n) => `${part}${n < names.length ? (differ[n] ? hole(names[n]!) : names[n]!) : ""}`).join("");
  return { text, names: templates.map((one) => bared(one.names[place]!)) };
}

const QUOTED = /^['"`‘“](.*)['"`’”]$/;
const hole = (name: string): string => (QUOTED.test(name) ? `${name[0]}…${name.at(-1)}` : "…");
const bared = (name: string): string => QUOTED.exec(name)?.[1] ?? name;
