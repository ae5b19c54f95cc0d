import { type JsonComments, type JsonItem, type JsonNode, jsonData, parseJsonTree } from "./json-tree.ts";
import { commandsIn } from "./mark.ts";

/**
 * Takes the entries of one client out of a text whose author changed it since they were written: entries with our mark, then the lists and objects
 * that are empty by that. Comments and all other entries stay.
 */
export function cutOwnEntries(text: string, isOwn: (command: string) => boolean, comments: JsonComments): string {
  let now = text;
  for (;;) {
    const cut = cutOne(now, parseJsonTree(now, comments), isOwn);
    if (cut === null) return now;
    now = cut;
  }
}

/** One entry at a time: each cut moves what stands behind it. */
function cutOne(text: string, root: JsonNode, isOwn: (command: string) => boolean): string | null {
  const hooks = itemOf(root, "hooks");
  for (const event of hooks?.node.items ?? [])
    for (const [n, entry] of event.node.items.entries()) {
      const inner = entry.node.kind === "object" ? itemOf(entry.node, "hooks") : null;
      if (inner === null) {
        if (commandsIn(jsonData(entry.node)).some(isOwn))
          return cutUp(text, [[event.node, n], upper(hooks!.node, event), upper(root, hooks!)]);
        continue;
      }
      const own = inner.node.items.findIndex((one) => commandsIn(jsonData(one.node)).some(isOwn));
      if (own === -1) continue;
      return cutUp(text, [[inner.node, own], [event.node, n], upper(hooks!.node, event), upper(root, hooks!)]);
    }
  return null;
}

type Step = readonly [holder: JsonNode, index: number];
const upper = (holder: JsonNode, item: JsonItem): Step => [holder, holder.items.indexOf(item)];
const itemOf = (node: JsonNode, key: string): JsonItem | null => node.items.findLast((item) => item.key === key) ?? null;

/** Cuts the entry, or the outermost holder that has nothing else in it. What is empty but for a comment stays. */
function cutUp(text: string, steps: readonly [Step, ...Step[]]): string {
  const [[holder, index], next, ...above] = steps;
  const isAlone = holder.items.length === 1 && holder.lastComment === null;
  return next !== undefined && isAlone ? cutUp(text, [next, ...above]) : cutItem(text, holder, index);
}

function cutItem(text: string, { items }: JsonNode, index: number): string {
  const item = items[index]!;
  const before = items[index - 1];
  if (item.comma !== null) {
    const next = text.slice(item.comma + 1);
    const space = next.length - next.trimStart().length;
    return text.slice(0, item.start) + text.slice(item.node.end, item.comma) + text.slice(item.comma + 1 + space);
  }
  const head = text.slice(0, item.start).trimEnd();
  const tail = text.slice(item.node.end);
  if (before?.comma == null) return head + tail;
  return head.slice(0, before.comma) + head.slice(before.comma + 1) + tail;
}
