import { type JsonStyle, lineIndent, renderLines, styleOf } from "./json-style.ts";
import { type JsonComments, type JsonNode, parseJsonTree } from "./json-tree.ts";
import { applySplices, type Splice } from "./splice.ts";

/** What shall stand in a file of settings: members of the top, and entries of lists of the object `hooks`. */
export interface WantedHooks {
  /** Written where the file does not say it itself. */
  readonly top: readonly (readonly [key: string, value: unknown])[];
  readonly lists: readonly (readonly [event: string, entry: object])[];
}

/** The file has another shape than its client reads. The message says which, without the file. */
export class StrangeShape extends Error {
  override readonly name = "StrangeShape";
}

/** What to put where, so that the text holds the hooks and is the same in all else. Throws a JsonTreeMistake or a StrangeShape. */
export function hookSplices(text: string, wanted: WantedHooks, comments: JsonComments): readonly Splice[] {
  if (text.trim() === "") return [{ at: 0, text: wholeText(wanted) }];
  const splices: Splice[] = [];
  let now = text;
  const put = (made: readonly Splice[]): void => {
    now = applySplices(now, made);
    splices.push(...made);
  };
  const parse = (): JsonNode => parseJsonTree(now, comments);
  const style = styleOf(text, parse());
  for (const [key, value] of wanted.top) {
    const root = objectIn(parse(), "the file");
    if (memberOf(root, key) === null) put(appendTo(now, root, [key, value], style));
  }
  const groups = grouped(wanted.lists);
  const root = objectIn(parse(), "the file");
  if (memberOf(root, "hooks") === null) {
    put(appendTo(now, root, ["hooks", Object.fromEntries(groups)], style));
    return splices;
  }
  for (const [event, entries] of groups) {
    const hooks = objectIn(memberOf(objectIn(parse(), "the file"), "hooks")!, '"hooks"');
    const list = memberOf(hooks, event);
    if (list === null) put(appendTo(now, hooks, [event, entries], style));
    else if (list.kind !== "list") throw new StrangeShape(`"hooks.${event}" is no list`);
    else for (const entry of entries) put(appendTo(now, listAgain(parse(), event), [null, entry], style));
  }
  return splices;
}

const wholeText = ({ top, lists }: WantedHooks): string =>
  `${JSON.stringify({ ...Object.fromEntries(top), hooks: Object.fromEntries(grouped(lists)) }, null, 2)}\n`;

function grouped(lists: WantedHooks["lists"]): Map<string, object[]> {
  const groups = new Map<string, object[]>();
  for (const [event, entry] of lists) groups.set(event, [...(groups.get(event) ?? []), entry]);
  return groups;
}

const listAgain = (root: JsonNode, event: string): JsonNode => memberOf(memberOf(root, "hooks")!, event)!;

function objectIn(node: JsonNode, what: string): JsonNode {
  if (node.kind !== "object") throw new StrangeShape(`${what} is no object`);
  return node;
}

/** The value of a key. One that stands there twice is refused: which of them counts is for each reader to say. */
export function memberOf(node: JsonNode, key: string): JsonNode | null {
  const found = node.items.filter((item) => item.key === key);
  if (found.length > 1) throw new StrangeShape(`"${key}" stands there twice`);
  return found[0]?.node ?? null;
}

/** Behind the last entry and the comments that follow it, which may be about that entry. */
function appendTo(text: string, node: JsonNode, [key, value]: readonly [string | null, unknown], style: JsonStyle): readonly Splice[] {
  const last = node.items.at(-1);
  const from = Math.max(node.lastComment ?? 0, last?.node.end ?? node.start + 1);
  const inside = text.slice(node.start, node.end);
  const label = (space: string) => (key === null ? "" : `${JSON.stringify(key)}:${space}`);
  // Somebody who writes everything in one line wants it to stay one.
  if (last !== undefined && !inside.includes("\n")) {
    const [gap, colon] = spacing(inside);
    return between(last.node.end, from, `${gap}${label(colon)}${JSON.stringify(value)}`);
  }
  const outer = lineIndent(text, last === undefined ? node.start : closing(node));
  const inner = indentOfItems(text, node) ?? `${outer}${style.indent}`;
  const entry = `${style.eol}${inner}${label(" ")}${renderLines(value, style, inner)}`;
  const end = text.slice(from, closing(node)).includes("\n") ? "" : `${style.eol}${outer}`;
  return last === undefined ? [{ at: from, text: entry + end }] : between(last.node.end, from, entry + end);
}

const closing = ({ end }: JsonNode): number => end - 1;

const between = (comma: number, at: number, entry: string): readonly Splice[] =>
  comma === at
    ? [{ at, text: `,${entry}` }]
    : [
        { at: comma, text: "," },
        { at: at + 1, text: entry },
      ];

/** The white space behind commas and colons. */
function spacing(inside: string): readonly [string, string] {
  return [/,\s/.test(inside) || /^[{[]\s/.test(inside) ? " " : "", /":\s/.test(inside) ? " " : ""];
}

function indentOfItems(text: string, { start, items: [first] }: JsonNode): string | null {
  if (first === undefined || !text.slice(start, first.start).includes("\n")) return null;
  return lineIndent(text, first.start);
}
