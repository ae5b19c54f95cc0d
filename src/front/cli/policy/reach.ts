import { type Confined, type WallReach, type Walls, wallsText } from "../../../core/ports/walls.ts";
import { rowsText } from "../chat/status.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The reach of a command behind its walls, for a person. */
export function reachText(reach: WallReach, terminal: Terminal): string {
  const { walls, confined, variables, seconds, warnings, notes = [] } = reach;
  const rows: Record<string, string> = {
    walls: walls.backend === "none" ? `none: ${walls.reason ?? "no reason is known"}` : wallsText(walls),
    ...(confined
      ? insideRows(confined, walls.backend)
      : { "it can": "do everything you can do: read and write your files, use the network, see your processes" }),
    variables: `${variables.length}, none of them secret: ${variables.join(", ")}`,
    limits: limitsText(seconds, confined),
    ...(confined && walls.reason !== undefined && { note: walls.reason }),
    ...(notes.length > 0 && { "not bound": notes.join("\n") }),
    ...(warnings.length > 0 && { "left out": warnings.join("\n") }),
  };
  return `\n${terminal.out.bold("What the command could do, if it ran:")}\n${rowsText(indented(rows), terminal)}`;
}

function insideRows({ write, frozen, read, system, network }: Confined, backend: Walls["backend"]): Record<string, string> {
  return {
    write: `${write.join(", ") || "nothing"}, a temporary folder and an empty home`,
    ...(frozen.length > 0 && { "but not": `${shortList(frozen)} (read-only)` }),
    read: [...read, `the system's programs${system.length > 0 ? ` (${shortList(system)})` : ""}`].join(", "),
    // Only namespaces hide things; other walls keep them shut.
    ...(backend === "bubblewrap"
      ? { "not see": "anything else: your home, keys, other folders, other processes" }
      : { "not open": "anything else: your home, keys, other folders" }),
    network: network === "closed" ? "closed" : "open: every machine this one can reach, and its own services",
  };
}

const SHOWN = 6;

const shortList = (paths: readonly string[]): string =>
  paths.length <= SHOWN ? paths.join(", ") : `${paths.slice(0, SHOWN).join(", ")} and ${paths.length - SHOWN} more`;

function limitsText(seconds: number, confined: Confined | null): string {
  const { processes = null, memoryBytes = null, fileBytes = null } = confined?.limits ?? {};
  return [
    `${seconds} s`,
    memoryBytes === null ? "any memory" : `${mib(memoryBytes)} of memory for each process`,
    processes === null ? "any number of processes" : `${processes} processes`,
    ...(fileBytes === null ? [] : [`files up to ${mib(fileBytes)}`]),
  ].join(", ");
}

const mib = (bytes: number): string => (bytes >= 2 ** 30 ? `${bytes / 2 ** 30} GiB` : `${Math.round(bytes / 2 ** 20)} MiB`);

const indented = (rows: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(rows).map(([name, text]) => [`  ${name}`, text]));
