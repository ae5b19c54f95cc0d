import type { Line } from "../line.ts";
import { isStamped } from "./stamps.ts";
import { createTemplates } from "./template.ts";

/** One record of a log: a line, and the lines that only continue it, such as the frames of a trace. */
export interface Entry {
  readonly at: number;
  readonly head: Line;
  readonly more: readonly Line[];
}

/** Records that say the same about different things. */
export interface Group {
  readonly template: string;
  readonly bad: boolean;
  readonly entries: Entry[];
  /** Fields, by place, in which a word differs and not only a number. */
  readonly wild: readonly number[];
}

const CONTINUES =
  /^(?:\s+\S|Caused by|Traceback |[\w.$]+(?:Exception|Error)\b|\.\.\. \d+ (?:more|frames)|During handling|The above exception)/;
/** Java's own logging says when and where on one line, and what on the next. */
const ONLY_WHERE = /^[A-Z][a-z]{2} \d{1,2}, \d{4} \d{1,2}:\d\d:\d\d (?:[AP]M )?\S+ \S+$/;
const LONGEST = 200;
const NOTHING: readonly Line[] = [];

export function entriesOf(all: readonly Line[]): Entry[] {
  const lines = all.filter(({ text }) => text !== "");
  const entries: Entry[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = endOf(lines, at);
    entries.push({ at, head: lines[at]!, more: end === at + 1 ? NOTHING : lines.slice(at + 1, end) });
    at = end;
  }
  return entries;
}

function endOf(lines: readonly Line[], at: number): number {
  let end = at + 1;
  if (ONLY_WHERE.test(lines[at]!.text) && isStamped(lines[end]?.text ?? "")) end++;
  while (end < lines.length && end - at < LONGEST && continues(lines[end]!.text)) end++;
  return end;
}

const continues = (text: string): boolean => CONTINUES.test(text) && !isStamped(text);

/** More templates than this is no repetition. */
const MOST_TEMPLATES = 20_000;

/** null: nearly every record is of its own kind. */
export function groupsOf(entries: readonly Entry[]): Group[] | null {
  const groups = new Map<string, Group>();
  const templateOf = createTemplates();
  for (const entry of entries) {
    const { head, more } = entry;
    const bad = head.errors > 0 || more.some(({ errors }) => errors > 0);
    const template = more.length === 0 ? templateOf(head.text) : [head, ...more].map(({ text }) => templateOf(text)).join("\n");
    const key = bad ? `!${template}` : template;
    const group = groups.get(key);
    if (group) group.entries.push(entry);
    else {
      if (groups.size === MOST_TEMPLATES) return null;
      groups.set(key, { template, bad, entries: [entry], wild: [] });
    }
  }
  return [...groups.values()];
}
