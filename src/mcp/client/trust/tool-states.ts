import type { Matcher } from "../../../text/glob.ts";
import type { Drift, ServerTool } from "../clients.ts";
import { toolName } from "../tool-name.ts";
import { descriptionOf } from "../tools.ts";
import { shortHash } from "./accept.ts";
import type { BrokenDefinition, Definition } from "./definitions.ts";
import { inALine, showHidden } from "./hidden-text.ts";

/** The facts about a server's tools. */
export interface KnownTools {
  readonly server: string;
  /** The definitions that were agreed to. */
  readonly pinned: ReadonlyMap<string, Definition>;
  /** The definitions it listed last; null before it listed any. */
  readonly listed: ReadonlyMap<string, Definition> | null;
  readonly broken: readonly BrokenDefinition[];
  readonly allowed: Matcher;
  /** Why a definition cannot be used; null when it can. */
  readonly problem: (definition: Definition) => string | null;
}

export interface ToolState extends ServerTool {
  readonly definition: Definition;
}

/** How each tool stands. Only what is offered can be called. */
export function toolStates({ server, pinned, listed, allowed, problem }: KnownTools): ToolState[] {
  const names = new Set<string>();
  const all = [...(listed ?? pinned).values()].sort((a, b) => (a.tool < b.tool ? -1 : 1));
  return all.map((definition) => {
    const { tool, hash } = definition;
    const name = toolName(server, tool);
    const about = { tool, name, description: descriptionOf(definition), definition };
    if (!allowed(tool)) return { ...about, state: "left out" };
    if (names.has(name)) return { ...about, state: "refused", why: `another tool of this server is called ${name} already` };
    names.add(name);
    const why = problem(definition);
    if (why !== null) return { ...about, state: "refused", why };
    const pin = pinned.get(tool);
    if (pin === undefined) return { ...about, state: "new", why: `it was not there when the server was agreed to; ${hint(server)}` };
    if (pin.hash !== hash) return { ...about, state: "changed", why: `${CHANGED}; ${hint(server)}` };
    return { ...about, state: "offered" };
  });
}

export const CHANGED = "its definition changed since it was agreed to";
export const hint = (server: string): string => `\`zeph mcp diff ${server}\` shows it`;

/** For states: without the definitions, and with what could not even be read. */
export function shownTools(known: KnownTools): ServerTool[] {
  const tools = toolStates(known).map(({ definition: _, ...rest }): ServerTool => ({ ...rest, tool: inALine(rest.tool, 256) }));
  return [...tools, ...known.broken.map(({ tool, why }): ServerTool => ({ tool, name: "", description: "", state: "refused", why }))];
}

export function driftOf({ server, pinned, listed }: KnownTools): Drift[] {
  if (listed === null) return [];
  const drifts: Drift[] = [];
  for (const tool of [...new Set([...pinned.keys(), ...listed.keys()])].sort()) {
    const before = pinned.get(tool);
    const after = listed.get(tool);
    if (before?.hash === after?.hash) continue;
    const kind = before === undefined ? "new" : after === undefined ? "gone" : "changed";
    drifts.push({ server, tool: inALine(tool, 256), kind, hash: shortHash(after), before: pretty(before), after: pretty(after) });
  }
  return drifts;
}

/** From the canonical form, so that only what differs looks different. */
const pretty = (definition: Definition | undefined): string | null =>
  definition === undefined ? null : showHidden(JSON.stringify(JSON.parse(definition.json), null, 2));
