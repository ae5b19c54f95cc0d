import { complaints } from "../complain.ts";
import { ConfigError } from "../problem.ts";
import { setAtPath, valueAtPath } from "../shape.ts";
import { changeFile } from "./change.ts";
import { entriesAt, entryBlock, insertEntry, removeEntry, replaceEntry } from "./entries.ts";

/** A server as the person wants it written: only what differs from the defaults. */
export interface ServerEntry extends Readonly<Record<string, unknown>> {
  readonly name: string;
}

const PATH = ["mcp", "servers"];

/** Writes a server into the user's file. With `replace` one of that name gives way to it. */
export function saveServer(userFile: string, server: ServerEntry, how: "add" | "replace"): void {
  changeFile(userFile, (before) => addServerText(before ?? "", server, how));
}

/** Takes a server out of the user's file. False when it is not in it. */
export function dropServer(userFile: string, name: string): boolean {
  return changeFile(userFile, (before) => (before === null ? null : removeServerText(before, name)));
}

/** Adds a server after all others. Nothing else changes. */
export function addServerText(text: string, server: ServerEntry, how: "add" | "replace"): string {
  const wrong = complaints(setAtPath({}, PATH, [server]));
  if (wrong.length > 0) throw new ConfigError(wrong.map(({ message }) => ({ message: message.replaceAll("mcp.servers[0].", "") })));
  const index = indexOf(text, server.name);
  if (index >= 0 && how === "add")
    throw new ConfigError([{ message: `There is a server named "${server.name}" already. --force replaces it.` }]);
  const edited = index < 0 ? insertEntry(text, PATH, server, "last") : replaceEntry(text, PATH, index, server);
  return edited ?? refuse(server.name, `Write it yourself:\n\n${entryBlock("\n", PATH, server)}`);
}

/** Null when there is none of that name. What stands around it stays as it is; a comment directly above it goes with it. */
export function removeServerText(text: string, name: string): string | null {
  const index = indexOf(text, name);
  return index < 0 ? null : (removeEntry(text, PATH, index) ?? refuse(name, "Remove it yourself."));
}

function refuse(name: string, advice: string): never {
  throw new ConfigError([{ message: `No safe way was found to change the file for the server "${name}". ${advice}` }]);
}

const indexOf = (text: string, name: string): number =>
  entriesAt(text, PATH, "servers").findIndex((server) => {
    const found = valueAtPath(server, ["name"]);
    return typeof found === "string" && found.toLowerCase() === name.toLowerCase();
  });
