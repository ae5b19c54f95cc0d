import { isAbsolute, resolve } from "node:path";
import type { ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { record } from "../../text/json.ts";
import { bounded, visible } from "../../text/visible.ts";

/** A call as it was asked for. */
export interface NamedCall {
  readonly name: string;
  readonly args: unknown;
}

/** How an editor shows a tool. Whatever is not here is "other". */
const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: "execute",
  background: "execute",
  read: "read",
  read_overflow: "read",
  write: "edit",
  edit: "edit",
  grep: "search",
  find_path: "search",
  glob: "search",
  list_directory: "search",
  search_code: "search",
  search_tools: "search",
  memory_search: "search",
  fetch: "fetch",
  web_scrape: "fetch",
  delete_path: "delete",
  move_path: "move",
};

export const kindOf = (tool: string): ToolKind => (Object.hasOwn(KINDS, tool) ? KINDS[tool]! : "other");

const LONGEST_VALUE = 120;

/** A line a person understands. A command is there in full, however long: it is what they say yes to. */
export function callTitle({ name, args }: NamedCall): string {
  const given = record(args);
  const text = (key: string) => (typeof given[key] === "string" ? visible(given[key]) : "");
  if (name === "bash" && text("command") !== "") return text("command");
  const written = TITLES[name]?.((key) => cut(text(key)));
  if (written !== undefined) return written.trim();
  const first = Object.values(given).find((value) => typeof value === "string");
  return first === undefined ? visible(name) : `${visible(name)} ${cut(visible(first))}`;
}

type Text = (key: string) => string;
const at = (path: string) => (path === "" ? "" : ` in ${path}`);
const TITLES: Readonly<Record<string, ((text: Text) => string) | undefined>> = {
  background: (text) => `Background commands: ${text("action")} ${text("run_id")}`,
  read: (text) => `Read ${text("path")}`,
  write: (text) => `Write ${text("path")}`,
  edit: (text) => `Edit ${text("path")}`,
  grep: (text) => `Search for ${text("pattern")}${at(text("path"))}`,
  find_path: (text) => `Find ${text("pattern")}${at(text("path"))}`,
  list_directory: (text) => `List ${text("path") || "."}`,
  search_code: (text) => `Search the code for ${text("query")}${at(text("path"))}`,
  search_tools: (text) => `Search the tools for ${text("query")}`,
  memory_search: (text) => `Search the memory for ${text("query")}`,
  memory_save: () => "Remember something",
  fetch: (text) => `Fetch ${text("url")}`,
  web_scrape: (text) => `Scrape ${text("url")}`,
  create_directory: (text) => `Create the folder ${text("path")}`,
  delete_path: (text) => `Delete ${text("path")}`,
  move_path: (text) => `Move ${text("source")} to ${text("destination")}`,
  copy_path: (text) => `Copy ${text("source")} to ${text("destination")}`,
  diagnostics: (text) => `Diagnostics${at(text("path"))}`,
  update_plan: () => "Update the plan",
};

const cut = (text: string): string => bounded(text.replace(/\s+/g, " "), LONGEST_VALUE);

const PATHS = ["path", "source", "destination"] as const;
const FILE_TOOLS: readonly string[] = [
  ...["read", "write", "edit", "grep", "find_path", "glob", "list_directory", "search_code"],
  ...["create_directory", "delete_path", "move_path", "copy_path", "diagnostics"],
];

/** Where a call will be at work, as far as its arguments tell. */
export function placesOf({ name, args }: NamedCall, cwd: string): ToolCallLocation[] {
  if (!FILE_TOOLS.includes(name)) return [];
  const given = record(args);
  return PATHS.flatMap((key) => {
    const path = given[key];
    if (typeof path !== "string" || path === "" || path.includes("\0") || path.startsWith("~")) return [];
    const line = key === "path" && Number.isInteger(given.offset) && (given.offset as number) > 0 ? { line: given.offset as number } : {};
    return [{ path: isAbsolute(path) ? path : resolve(cwd, path), ...line }];
  });
}
