import { SERVER_PREFIX } from "../../core/facets.ts";
import type { Piece } from "./piece.ts";
import { serverName } from "./server-name.ts";

/** Our tools that do what a rule of another agent speaks of. */
export const CHANGING_TOOLS = ["edit", "write"] as const;
export const ALL_CHANGING_TOOLS = [...CHANGING_TOOLS, "create_directory", "move_path", "copy_path", "delete_path"] as const;
export const READING_TOOLS = ["read", "grep", "find_path", "list_directory", "search_code"] as const;
export const WEB_TOOLS = ["fetch", "web_scrape"] as const;

/** Our tools by the names that gemini and qwen have for theirs. */
export const TOOLS_BY_FOREIGN_NAME: Readonly<Record<string, readonly string[]>> = {
  read_file: ["read"],
  read_many_files: ["read"],
  list_directory: ["list_directory"],
  glob: ["find_path"],
  grep_search: ["grep"],
  search_file_content: ["grep"],
  write_file: ["write"],
  replace: ["edit"],
  edit: ["edit"],
  web_fetch: WEB_TOOLS,
};

/** A tool of a server as it is named here; without a tool a pattern for all of them. */
export const serverToolName = (server: string, tool: string | null): string => `${SERVER_PREFIX}${serverName(server)}__${tool ?? "*"}`;

/** Denies a tool of a server, or all of them, also before the server is there. */
export const deniedServerTool = (server: string, tool: string | null): readonly Piece[] => [
  { kind: "setting", key: "tools.scoped.enabled", value: true },
  { kind: "value", list: "tools.scoped.denied_tools", value: serverToolName(server, tool) },
];
