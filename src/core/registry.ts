import type { AnyTool, Toolset } from "./tool.ts";
import { ToolsetError, toolsOf } from "./toolset.ts";

/** Which tool answers to which name. Built-ins are fixed; toolsets may come, go and change, and never take a name that is owned. */
export interface Registry {
  /** By every name, aliases included. */
  tools(): ReadonlyMap<string, AnyTool>;
  /** The toolset a tool came with; undefined for one of our own. */
  origin(tool: string): Toolset | undefined;
  /** The toolsets that others than ourselves brought. */
  brought(): readonly Toolset[];
  /** Looks again which tools there are. */
  refresh(): void;
  /** Each tool once. */
  list(): readonly AnyTool[];
  /** Throws a ToolsetError where a tool of this toolset has the name of another one, which would be called in its place. */
  assertFree(toolset: Toolset): void;
  /** Returns what takes the toolset out again. Throws a ToolsetError for what is none; one that goes wrong later is left out with a warning. */
  add(toolset: Toolset): () => void;
}

export interface RegistryOptions {
  readonly builtIn: readonly AnyTool[];
  readonly aliases: ReadonlyMap<string, string>;
  readonly warn: (message: string) => void;
  /** Toolsets that were brought to another registry and are here, too. */
  readonly above?: (() => readonly Toolset[]) | undefined;
  /** Tools came or went. */
  readonly changed?: () => void;
}

export function createRegistry({ builtIn, aliases, warn, above = () => [], changed = () => {} }: RegistryOptions): Registry {
  const fixed = named(builtIn, aliases);
  const toolsets = new Set<Toolset>();
  const warned = new Set<string>();
  let tools = fixed;
  let origins = new Map<string, Toolset>();

  const rebuild = () => {
    const next = new Map(fixed);
    const from = new Map<string, Toolset>();
    for (const toolset of [...above(), ...toolsets]) {
      for (const tool of soundTools(toolset)) {
        if (next.has(tool.name)) warnOnce(`The tool "${tool.name}" of ${toolset.id} is left out: another tool owns that name.`);
        else {
          next.set(tool.name, tool);
          if (!toolset.own) from.set(tool.name, toolset);
        }
      }
    }
    tools = next;
    origins = from;
    changed();
  };
  /** What was sound when it came may not be any more, and whoever tells us of a change cannot be told off. */
  const soundTools = (toolset: Toolset): readonly AnyTool[] => {
    try {
      return toolsOf(toolset);
    } catch (error) {
      warnOnce(`${(error as Error).message} None of its tools is offered.`);
      return [];
    }
  };
  const warnOnce = (message: string) => {
    if (!warned.has(message)) warn(message);
    warned.add(message);
  };

  return {
    tools: () => tools,
    origin: (tool) => origins.get(tool),
    brought: () => [...above(), ...toolsets].filter(({ own }) => !own),
    refresh: rebuild,
    list: () => [...new Set(tools.values())],
    assertFree(toolset) {
      for (const { name } of toolsOf(toolset)) {
        if (!tools.has(name)) continue;
        const owner = origins.get(name);
        const whose = owner ? `the toolset "${owner.id}" has a tool` : "Zeph has a tool";
        throw new ToolsetError(`In the toolset "${toolset.id}" a tool is named "${name}", and ${whose} of that name. Give it another one.`);
      }
    },
    add(toolset) {
      toolsOf(toolset);
      toolsets.add(toolset);
      const unsubscribe = toolset.subscribe?.(rebuild);
      rebuild();
      return () => {
        toolsets.delete(toolset);
        unsubscribe?.();
        rebuild();
      };
    },
  };
}

function named(builtIn: readonly AnyTool[], aliases: ReadonlyMap<string, string>): Map<string, AnyTool> {
  const tools = new Map<string, AnyTool>();
  for (const tool of builtIn) {
    if (tools.has(tool.name)) throw new Error(`Two built-in tools are named "${tool.name}".`);
    tools.set(tool.name, tool);
  }
  for (const [alias, name] of aliases) {
    if (tools.has(alias)) throw new Error(`"${alias}" is a tool and an alias.`);
    tools.set(alias, tools.get(name)!);
  }
  return tools;
}
