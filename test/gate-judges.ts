import { join } from "node:path";
import { parseConfig } from "../src/config/load.ts";
import { ToolCall } from "../src/core/call.ts";
import { ToolError } from "../src/core/error.ts";
import type { OwnGate } from "../src/core/gate/own-gate.ts";
import type { Review } from "../src/core/gate/verdict.ts";
import { ToolRequest } from "../src/core/request.ts";
import { type Caller, createSession } from "../src/core/session.ts";
import type { AnyTool } from "../src/core/tool.ts";
import type { Requirements } from "../src/gates/dependencies.ts";
import { understandFrom } from "../src/gates/permissions/commands.ts";
import { openLocalHost } from "../src/host/local.ts";
import { createGates } from "../src/runtime/rules/gates.ts";
import { createLiveRules } from "../src/runtime/rules/live-rules.ts";
import { readRulebook } from "../src/runtime/rules/rulebook.ts";
import { openStore } from "../src/store/open.ts";
import { bash } from "../src/tools/bash.ts";
import { TOOLS } from "../src/tools/index.ts";
import { NOWHERE } from "./offline-host.ts";
import type { Workspace } from "./workspace.ts";

/** The gates of a configuration behind a door, in one workspace, and nothing else of a runtime: thousands of them cost little. */
export function gatedIn(place: Workspace, more: readonly AnyTool[] = []) {
  const store = openStore("memory");
  const session = createSession();
  const shellTool = bash((command, at) => understandFrom(command, at).touches);
  const tools = new Map<string, AnyTool>([shellTool, ...TOOLS, ...more].map((tool) => [tool.name, tool]));
  const { file, shell, sandbox, scope } = parseConfig({}).tools;
  const notes = join(place.state, "notes");
  const { facts, close } = openLocalHost({ cwd: place.work, file, shell, sandbox, scope, ...NOWHERE, own: [], keys: [], notes });

  const gates = (config: object, requirements: Requirements | null = null, program: readonly OwnGate[] = []) => {
    const book = readRulebook(parseConfig(config));
    return createGates(
      {
        facts,
        own: [],
        tools: () => tools,
        originOf: () => undefined,
        kept: { has: () => false, add() {} },
        requirements,
        sandbox,
        ask: async () => "ALLOW",
        reasons: () => false,
        redact: (text) => text,
        note: () => {},
        strangerWrites: { add() {}, holds: () => false },
        sentinel: { namesOpen: () => false, trajectories: store.trajectories, embedder: async () => null, warn: () => {} },
        warn: () => {},
        program,
      },
      createLiveRules(book),
      () => {},
    );
  };
  return {
    tools,
    facts,
    store,
    gates,
    call(name: string, args: unknown, id = "1"): ToolCall {
      const call = ToolCall.parse(ToolRequest.from({ id, name, args })!, tools);
      if (call instanceof ToolError) throw call;
      return call;
    },
    turn: (caller: Caller = {}) => session.current(caller),
    async close() {
      await close();
      await store.close();
    },
  };
}

/** How strict: a number that only grows. */
export const level = ({ verdict }: Pick<Review, "verdict">): number => ({ allow: 0, ask: 1, deny: 2 })[verdict];
