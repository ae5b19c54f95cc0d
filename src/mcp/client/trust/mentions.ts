import type { Trust } from "../../../core/turn.ts";
import { toolName } from "../tool-name.ts";
import type { Definition } from "./definitions.ts";
import { inALine } from "./hidden-text.ts";

export interface Speaker {
  readonly name: string;
  readonly trust: Trust;
  readonly definitions: readonly Definition[];
}

/**
 * Descriptions in which one server speaks of another's tools: a way to make a model use those as this server likes. Of a server that the person has vouched
 * for nothing is said, nor of a name that is the name of a tool of its own as well.
 */
export function findMentions(speakers: readonly Speaker[]): string[] {
  const told: string[] = [];
  for (const { name, trust, definitions } of speakers) {
    if (trust === "trusted") continue;
    const own = new Set(definitions.map(({ tool }) => tool));
    const others = speakers.filter((other) => other.name !== name);
    for (const { tool, json } of definitions) {
      const words = new Set(json.match(/[A-Za-z0-9_-]{4,128}/g));
      for (const other of others) {
        const meant = other.definitions.find(
          (one) => words.has(toolName(other.name, one.tool)) || (isTelling(one.tool) && words.has(one.tool) && !own.has(one.tool)),
        );
        if (meant === undefined) continue;
        told.push(
          `The definition of "${inALine(tool, 100)}" of the MCP server "${name}" speaks of "${inALine(meant.tool, 100)}", a tool of "${other.name}". Read it: zeph mcp tools ${name}. trust = "trusted" for "${name}" ends this warning.`,
        );
        if (told.length >= MOST) return told;
      }
    }
  }
  return told;
}

const MOST = 50;

/** A name that is no ordinary word. */
const isTelling = (tool: string) => tool.length >= 6 && /[_-]|[a-z][A-Z]/.test(tool);
