import { toolName } from "../tool-name.ts";
import type { Definition } from "./definitions.ts";
import { inALine } from "./hidden-text.ts";

export interface Speaker {
  readonly name: string;
  readonly definitions: readonly Definition[];
}

/** Descriptions in which one server speaks of another's tools: a way to make a model use those as this server likes. */
export function findMentions(speakers: readonly Speaker[]): string[] {
  const told: string[] = [];
  for (const { name, definitions } of speakers) {
    const others = speakers.filter((other) => other.name !== name);
    for (const { tool, json } of definitions) {
      const words = new Set(json.match(/[A-Za-z0-9_-]{4,128}/g));
      for (const other of others) {
        const meant = other.definitions.find(
          (one) => words.has(toolName(other.name, one.tool)) || (isTelling(one.tool) && words.has(one.tool) && one.tool !== tool),
        );
        if (meant === undefined) continue;
        told.push(
          `The definition of "${inALine(tool, 100)}" of the MCP server "${name}" speaks of "${inALine(meant.tool, 100)}", a tool of "${other.name}". Read it before you trust it: zeph mcp tools ${name}`,
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
