import { posix } from "node:path";
import { isRecord } from "../text/json.ts";
import { quoteShellAlways } from "../text/quote-shell.ts";
import { readPatches } from "./patch.ts";
import { type FieldShape, misfitIn, unknownIn } from "./shape.ts";

/** A call of one of our own tools that stands for what a client's tool would do. */
export interface StandInCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

type Args = Readonly<Record<string, unknown>>;

/** A tool of a client: what it takes, and what it comes to in our own tools. */
export interface ToolRow {
  /** What it starts goes on after the call. */
  readonly lasts?: true;
  /** What it is, for docs and for what is done after the call. */
  readonly row: "bash" | "read" | "write" | "edit" | "search" | "fetch";
  readonly args: FieldShape;
  /** `odd` says what is not known of the arguments. */
  judged(args: Args): { readonly calls: readonly StandInCall[]; readonly odd?: string };
}

/** What a client's call comes to. `changed`: the tool is known and its arguments are not what they were; what is known of them is judged all the same. */
export type Translated =
  | { readonly kind: "calls"; readonly row: ToolRow["row"]; readonly calls: readonly StandInCall[] }
  | { readonly kind: "changed"; readonly why: string; readonly calls: readonly StandInCall[] }
  | { readonly kind: "unknown" };

export function translateCall(
  tools: Readonly<Record<string, ToolRow>>,
  { tool, args, at }: { readonly tool: string; readonly args: Args; readonly at?: string },
): Translated {
  const row = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  if (!row) return { kind: "unknown" };
  const wrong = misfitIn(args, row.args);
  if (wrong !== null) return { kind: "changed", why: wrong, calls: [] };
  const { calls: found, odd = unknownIn(args, row.args) } = row.judged(args);
  const calls = at === undefined ? found : found.map((call) => movedTo(at, call));
  return odd === null ? { kind: "calls", row: row.row, calls } : { kind: "changed", why: odd, calls };
}

/** The same call, made from another folder. */
function movedTo(at: string, { tool, args }: StandInCall): StandInCall {
  if (typeof args.command === "string") return { tool, args: { ...args, command: `cd ${quoteShellAlways(at)}\n${args.command}` } };
  const moved = PATHS.flatMap((name) => (typeof args[name] === "string" ? [[name, posix.resolve(at, args[name])] as const] : []));
  // A search without a folder is one of the folder it is made in.
  const here = args.pattern !== undefined && args.path === undefined ? [["path", at] as const] : [];
  return { tool, args: { ...args, ...Object.fromEntries([...moved, ...here]) } };
}

/** Arguments of our own tools that are names of files. */
const PATHS = ["path", "source", "destination"];

const text = (args: Args, name: string): string => String(args[name] ?? "");

/** A command, perhaps in a folder of its own. A patch that is typed into the shell is judged as the edits it makes, besides. */
export const createCommandRow = (more: FieldShape = {}, name = "command", folder?: string): ToolRow => ({
  row: "bash",
  args: { [name]: "text", ...more },
  judged(args) {
    const command = text(args, name);
    const at = folder === undefined || args[folder] === undefined ? "" : `cd ${quoteShellAlways(text(args, folder))}\n`;
    const patches = readPatches(command, "shell");
    const bash = { tool: "bash", args: { command: `${at}${command}` } };
    return typeof patches === "string" ? { calls: [bash], odd: patches } : { calls: [bash, ...patches] };
  },
});

/** The argument of this name is a patch. */
export const createPatchRow = (...names: readonly string[]): ToolRow => ({
  row: "edit",
  args: Object.fromEntries(names.map((name) => [name, "text?"] as const)),
  judged(args) {
    const given = names.filter((name) => args[name] !== undefined);
    const patches = given.length === 1 ? readPatches(text(args, given[0]!), "patch") : "there is no patch in it";
    return typeof patches === "string" ? { calls: [], odd: patches } : { calls: patches };
  },
});

export const createReadRow = (name: string, more: FieldShape = {}): ToolRow => ({
  row: "read",
  args: { [name]: "text", ...more },
  judged: (args) => ({ calls: [{ tool: "read", args: { path: text(args, name) } }] }),
});

export const createListRow = (name: string, more: FieldShape = {}): ToolRow => ({
  row: "search",
  args: { [name]: "text?", ...more },
  judged: (args) => ({ calls: [{ tool: "list_directory", args: { path: text(args, name) || "." } }] }),
});

export const createWriteRow = (name: string, content: string, more: FieldShape = {}): ToolRow => ({
  row: "write",
  args: { [name]: "text", [content]: "text", ...more },
  judged: (args) => ({ calls: [{ tool: "write", args: { path: text(args, name), content: text(args, content) } }] }),
});

export const createEditRow = (name: string, before: string, after: string, more: FieldShape = {}): ToolRow => ({
  row: "edit",
  args: { [name]: "text", [before]: "text?", [after]: "text", ...more },
  judged: (args) => ({ calls: [edit(text(args, name), text(args, before), text(args, after))] }),
});

/** Several edits of one file, each an object with a text before and one after. */
export const createEditsRow = (name: string, list: string, before: string, after: string): ToolRow => ({
  row: "edit",
  args: { [name]: "text", [list]: "list" },
  judged(args) {
    const edits = args[list] as readonly unknown[];
    const fits = (one: unknown): one is Args =>
      isRecord(one) &&
      typeof one[before] === "string" &&
      Object.entries(one).every(([key, value]) => typeof value === (FLAGS.has(key) ? "boolean" : "string"));
    if (edits.length === 0 || !edits.every(fits)) return { calls: [], odd: `${list} is not a list of edits` };
    return { calls: edits.map((one) => edit(text(args, name), text(one, before), text(one, after))) };
  },
});

const FLAGS: ReadonlySet<string> = new Set(["replace_all", "replaceAll"]);

const edit = (path: string, old_string: string, new_string: string): StandInCall => ({
  tool: "edit",
  args: { path, old_string, new_string },
});

export const createSearchRow = (pattern: string, folder: string, more: FieldShape = {}): ToolRow => ({
  row: "search",
  args: { [pattern]: "text", [folder]: "text?", ...more },
  judged: (args) => ({
    calls: [{ tool: "grep", args: { pattern: text(args, pattern), ...(args[folder] !== undefined && { path: text(args, folder) }) } }],
  }),
});

/** The folder may be one name, or a list of them: each is looked into. */
export const createEachRow = (folder: string, row: ToolRow): ToolRow => ({
  ...row,
  args: { ...row.args, [folder]: "any?" },
  judged(args) {
    const given = args[folder];
    const names = given === undefined || given === null ? [undefined] : Array.isArray(given) ? given : [given];
    if (names.length === 0 || names.some((name) => name !== undefined && typeof name !== "string"))
      return { calls: [], odd: `${folder} is not a list of folders` };
    return { calls: names.flatMap((name) => row.judged({ ...args, [folder]: name }).calls) };
  },
});

/** A glob may lead out of its folder: what stands before its first wildcard is where it looks. */
export const createFindRow = (pattern: string, folder: string, more: FieldShape = {}): ToolRow => ({
  row: "search",
  args: { [pattern]: "text", [folder]: "text?", ...more },
  judged(args) {
    const whole = posix.join(...(text(args, pattern).startsWith("/") ? [] : [text(args, folder) || "."]), text(args, pattern));
    const fixed = whole.split(/[*?[{(]/)[0]!;
    const path = fixed === whole ? posix.dirname(whole) : fixed.includes("/") ? fixed.slice(0, fixed.lastIndexOf("/")) || "/" : ".";
    return { calls: [{ tool: "find_path", args: { path, pattern: text(args, pattern) } }] };
  },
});

export const createFetchRow = (name: string, more: FieldShape = {}): ToolRow => ({
  row: "fetch",
  args: { [name]: "text", ...more },
  judged: (args) => ({ calls: [{ tool: "fetch", args: { url: text(args, name) } }] }),
});

/** The addresses stand somewhere in a text. */
export const createNamedFetchRow = (name: string): ToolRow => ({
  row: "fetch",
  args: { [name]: "text" },
  judged(args) {
    const urls = [...new Set(text(args, name).match(/https?:\/\/[^\s<>"'`)\]]+/g) ?? [])];
    if (urls.length === 0 || urls.length > 20) return { calls: [], odd: `${name} names no address, or too many` };
    return { calls: urls.map((url) => ({ tool: "fetch", args: { url } })) };
  },
});
