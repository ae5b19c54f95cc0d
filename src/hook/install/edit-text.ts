import { createHash } from "node:crypto";
import { canonicalJson } from "../../text/json.ts";
import type { ClientPlan, CommandFor, PluginChoice } from "./client-plan.ts";
import { cutOwnEntries } from "./cut-json.ts";
import { hookSplices, memberOf, StrangeShape } from "./insert-json.ts";
import type { InstalledHook } from "./installed.ts";
import { JsonTreeMistake, jsonData, parseJsonTree } from "./json-tree.ts";
import { commandsIn, hookLine, isOwnCommand } from "./mark.ts";
import { pluginCommands, pluginMark } from "./plugin-text.ts";
import { applySplices, cutSplices, type Splice, undoSplices } from "./splice.ts";

/** A file is left as it is, and why. The message is a sentence about the file. */
export class FileRefused extends Error {
  override readonly name = "FileRefused";
}

export const hashOfText = (text: string): string => createHash("sha256").update(text).digest("hex");

/** What was put into a file, and what the file was by that. */
export interface WrittenText {
  readonly hash: string;
  readonly splices: readonly Splice[];
}

export interface Edited {
  readonly text: string;
  readonly splices: readonly Splice[];
}

/** The text with the hooks of a client in it, and nothing else changed. Null is a file that is not there. Throws a FileRefused. */
export function withHooks(plan: ClientPlan, pristine: string | null, command: CommandFor, how: PluginChoice): Edited {
  const { form } = plan;
  if (form.kind === "plugin") {
    if (pristine !== null) throw new FileRefused("This file is not Zeph's. Nothing was written; move it away first.");
    const text = form.text(command, how);
    return { text, splices: [{ at: 0, text }] };
  }
  const lists = form.entries(command, how).map(({ event, entry }) => [event, entry] as const);
  const splices = refusing(() => hookSplices(pristine ?? "", { top: form.top, lists }, form.comments));
  const text = applySplices(pristine ?? "", splices);
  refusing(() => parseJsonTree(text, form.comments));
  return { text, splices };
}

/** How a text was cleaned: what Zeph wrote was undone, or was found by its mark in a file that others changed since. */
export interface Cleaned {
  readonly text: string | null;
  readonly how: "none of ours" | "as before" | "by mark";
}

/** The text without the hooks of this client. Null where nothing of the file is left. Throws a FileRefused. */
export function withoutHooks(
  plan: ClientPlan,
  text: string,
  written: (WrittenText & { readonly was: "missing" | "there" }) | null,
): Cleaned {
  const { form } = plan;
  const isOwn = isOwnCommand(plan.name);
  if (form.kind === "plugin")
    return text.startsWith(pluginMark(plan.name)) ? { text: null, how: "as before" } : { text, how: "none of ours" };
  if (!hookCommands(plan, text).some(({ command }) => isOwn(command))) return { text, how: "none of ours" };
  const exact = written === null ? null : asBefore(plan, text, written);
  const left = exact ?? refusing(() => cutOwnEntries(text, isOwn, form.comments));
  const how = exact === null ? "by mark" : "as before";
  return { text: written?.was === "missing" && isNothing(plan, left) ? null : left, how };
}

function asBefore(plan: ClientPlan, text: string, { hash, splices }: WrittenText): string | null {
  if (hash === hashOfText(text)) return undoSplices(text, splices);
  const cut = cutSplices(text, splices);
  if (cut === null) return null;
  // Somebody wrote between our lines: then they are found one by one.
  try {
    return hookCommands(plan, cut).some(({ command }) => isOwnCommand(plan.name)(command)) ? null : cut;
  } catch {
    return null;
  }
}

/** A file that Zeph made, and nobody wrote into. */
function isNothing(plan: ClientPlan, text: string): boolean {
  if (plan.form.kind === "plugin" || text.trim() === "") return true;
  const top = plan.form.top.map(([key]) => key);
  const root = parseJsonTree(text, plan.form.comments);
  return root.lastComment === null && root.items.every(({ key }) => top.includes(key!));
}

/** A command line of a file, the client's event it hangs on, and its place there. */
export interface FoundHook {
  readonly event: string;
  readonly command: string;
  readonly place: readonly [entry: number, inner: number];
}

/** Every hook of a client's file, whoever wrote it. Throws a FileRefused where the file cannot be read. */
export function hookCommands(plan: ClientPlan, text: string): readonly FoundHook[] {
  const { form } = plan;
  if (form.kind === "plugin") {
    if (!text.startsWith(pluginMark(plan.name))) return [];
    return pluginCommands(text).map((command, n) => ({ event: "plugin", command, place: [n, 0] }));
  }
  if (text.trim() === "") return [];
  return refusing(() => {
    const root = parseJsonTree(text, form.comments);
    const hooks = root.kind === "object" ? memberOf(root, "hooks") : null;
    return (hooks?.items ?? []).flatMap(({ key, node }) =>
      node.items.flatMap((item, n) => {
        const entry = jsonData(item.node) as { readonly hooks?: unknown };
        const inner = Array.isArray(entry?.hooks) ? (entry.hooks as unknown[]) : [entry];
        return inner.flatMap((one, m) => commandsIn(one).map((command) => ({ event: key!, command, place: [n, m] as const })));
      }),
    );
  });
}

/** What is in the way of hooks that were written: entries that are gone or changed. */
export function hookFaults(
  plan: ClientPlan,
  text: string,
  record: Pick<InstalledHook, "mode" | "onFailure" | "program" | "hash">,
): readonly string[] {
  const { form } = plan;
  // All of a plugin is ours: whoever changed a line of it changed what it does.
  if (form.kind === "plugin") return hashOfText(text) === record.hash ? [] : ["the plugin is not as Zeph wrote it. Install it again."];
  const data = refusing(() => jsonData(parseJsonTree(text, form.comments))) as {
    readonly hooks?: Readonly<Record<string, readonly unknown[]>>;
  };
  const line: CommandFor = (event) => hookLine(record.program, plan.name, event, record.onFailure);
  const missing = form.entries(line, record).filter(({ event, entry }) => {
    const wanted = canonicalJson(entry);
    return !(data.hooks?.[event] ?? []).some((one) => canonicalJson(one) === wanted);
  });
  return missing.map(({ event }) => `the hook at ${event} is gone, or not as Zeph wrote it. Install it again.`);
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof JsonTreeMistake)
      throw new FileRefused(`Line ${error.line} does not parse: ${error.message}. Nothing was written.`);
    if (error instanceof StrangeShape)
      throw new FileRefused(`${error.message.replace(/^./, (c) => c.toUpperCase())}. Nothing was written.`);
    throw error;
  }
}
