import { createHash } from "node:crypto";
import { LONGEST_DESCRIPTION } from "../../../core/toolset.ts";
import { canonicalJson, deeperThan, isRecord, parseJson } from "../../../text/json.ts";
import type { ServerConfig } from "../../config.ts";
import { wireSize } from "../connection/wire-size.ts";
import { inALine } from "./hidden-text.ts";

/** A tool as its server defines it. */
export interface Definition {
  readonly tool: string;
  readonly hash: string;
  readonly json: string;
  readonly wire: Readonly<Record<string, unknown>>;
}

export interface BrokenDefinition {
  readonly tool: string;
  readonly why: string;
  /** It is nobody's slip, so the person hears of it. */
  readonly excessive?: true;
}

/** Over everything that came on the wire, whether anybody reads it or not. The order of names does not count. */
export const hashOf = (wire: unknown): string => createHash("sha256").update(canonicalJson(wire)).digest("hex");

/** The owner of definitions: another program or another address under the same name is another server. Values of variables are secrets and may change. */
export function serverIdentity({ name, command, args, env, url }: ServerConfig): string {
  const who = url !== undefined ? { url } : { command, args, env: Object.keys(env).sort() };
  return `${name}:${createHash("sha256").update(canonicalJson(who)).digest("hex").slice(0, 32)}`;
}

const MOST_DEPTH = 64;
const LONGEST_NAME = 256;
/** All of it is kept and compared, and most of it is sent with every request. */
const LARGEST_DEFINITION = 256 * 1024;

/** The definitions in a list. Of two with one name the first counts. */
export function definitionsOf(tools: readonly unknown[]): {
  readonly known: ReadonlyMap<string, Definition>;
  readonly broken: readonly BrokenDefinition[];
} {
  const known = new Map<string, Definition>();
  const broken: BrokenDefinition[] = [];
  tools.forEach((wire, n) => {
    const named = isRecord(wire) && typeof wire.name === "string" ? wire.name : "";
    const tool = inALine(named, 100) || `#${n + 1}`;
    if (!isRecord(wire) || named === "") broken.push({ tool, why: "it has no name" });
    else if (named.length > LONGEST_NAME) broken.push({ tool, why: `its name is longer than ${LONGEST_NAME} characters` });
    else if (deeperThan(wire, MOST_DEPTH)) broken.push({ tool, why: `its definition is nested deeper than ${MOST_DEPTH} levels` });
    else if (nameProblem(named) !== null) broken.push({ tool, why: nameProblem(named)! });
    else if (hasEndlessNumber(wire)) broken.push({ tool, why: "a number in its definition is too large to be kept" });
    else if (sizeProblem(wire) !== null) broken.push({ tool, why: sizeProblem(wire)!, excessive: true });
    else if (known.has(named)) broken.push({ tool, why: "the server lists another tool of that name before it" });
    else known.set(named, createDefinition(named, wire));
  });
  return { known, broken };
}

function sizeProblem(wire: Readonly<Record<string, unknown>>): string | null {
  if (typeof wire.description === "string" && wire.description.length > LONGEST_DESCRIPTION)
    return `its description is larger than ${LONGEST_DESCRIPTION / 1024} kB`;
  return wireSize(wire, LARGEST_DEFINITION) > LARGEST_DEFINITION ? `its definition is larger than ${LARGEST_DEFINITION / 1024} kB` : null;
}

/** A name is shown to a person and typed by one, so it has to be what it looks like. */
export const nameProblem = (name: string): string | null =>
  inALine(name, LONGEST_NAME) === name ? null : "characters that nobody sees, or blanks where none belong, are in its name";

/** JSON has no word for them: written down, they would all look alike. */
function hasEndlessNumber(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasEndlessNumber);
}

export const createDefinition = (tool: string, wire: Readonly<Record<string, unknown>>): Definition => ({
  tool,
  wire,
  hash: hashOf(wire),
  json: canonicalJson(wire),
});

/** One that was kept. Null where it can no longer be read, which is as if it had never been agreed to. */
export function keptDefinition(tool: string, hash: string, json: string): Definition | null {
  const wire = parseJson(json);
  return isRecord(wire) && hashOf(wire) === hash ? { tool, hash, json, wire } : null;
}
