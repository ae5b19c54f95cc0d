import type { ExecStreams, HookdLimits, HookdWork } from "../../front/hookd/connection.ts";
import { openHookdServer } from "../../front/hookd/hookd-server.ts";
import { hookdFolder } from "../../front/hookd/socket-place.ts";
import type { ExecCall } from "../../front/hookd/wire.ts";
import { waitAtMost } from "../../text/wait-within.ts";
import { openRuntime } from "../create.ts";
import type { RuntimeOptions } from "../runtime.ts";
import { openStores } from "../settings/stores.ts";
import { answerHook, type HookParts } from "./answer-hook.ts";
import { execCommand, execLine, NOT_RUN } from "./exec-command.ts";
import { createHookTickets } from "./hook-tickets.ts";
import { judgingMode } from "./installed-mode.ts";
import { type OpenWorkspaces, openKeptWorkspaces } from "./open-workspaces.ts";
import { type RewriteParts, rewriteCall } from "./rewrite-call.ts";
import { createExecTickets, type ExecTickets } from "./tickets.ts";

export interface HookdSettings {
  readonly version: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Pick<RuntimeOptions, "config" | "set">;
  readonly signal: AbortSignal;
  readonly parts?: HookdRules;
  readonly limits?: Partial<HookdLimits & { readonly idleMs: number }>;
}

/** How clients are treated: what was installed, who answers their questions, and what their own rules say. */
export interface HookdRules extends Pick<HookParts, "modeOf" | "tickets"> {
  /** The program that runs tickets, and whether the client's own rules let a command run; without it nothing is rewritten. */
  readonly rewriting?: Omit<RewriteParts, "tickets">;
}

/** The resident process behind hooks and `zeph exec`. Resolves when it has ended. */
export async function serveHookd({ version, home, env, settings, signal, parts, limits }: HookdSettings): Promise<void> {
  const { store } = openStores(settings, home);
  const workspaces = openKeptWorkspaces((cwd) =>
    openRuntime({ ...settings, cwd, shared: store, nested: true, servers: "later", watch: true }),
  );
  try {
    const rules = parts ?? { modeOf: judgingMode, tickets: createHookTickets(store.openQuestions) };
    const work = createHookdWork(workspaces, createExecTickets(), rules);
    const server = await openHookdServer({ folder: hookdFolder(env, home), version, work, ...(limits && { limits }) });
    signal.addEventListener("abort", server.drain, { once: true });
    if (signal.aborted) server.drain();
    await server.ended;
  } finally {
    await waitAtMost(workspaces.close(), LATEST_MS);
    await store.close();
  }
}

const LATEST_MS = 5000;

function createHookdWork(workspaces: OpenWorkspaces, tickets: ExecTickets, { rewriting, ...parts }: HookdRules): HookdWork {
  return {
    state: () => ({ workspaces: workspaces.count() }),
    async answer(call, { longer }) {
      const held: { release(): void }[] = [];
      try {
        return await answerHook(call, {
          ...parts,
          ...(rewriting && { rewrite: (one, client) => rewriteCall(one, client, { ...rewriting, tickets }) }),
          async runtimeFor(cwd) {
            // A runtime takes longer to open than a call to be judged.
            if (!workspaces.has(cwd)) longer();
            const one = await workspaces.hold(cwd);
            held.push(one);
            const { tools } = one.inside.config;
            if (tools.adversarial_policy.enabled || tools.governance.block_risky_patterns) longer();
            return one.inside;
          },
        });
      } finally {
        for (const one of held) one.release();
      }
    },
    exec: (call, streams, signal) => runExec(call, streams, signal, workspaces, tickets),
  };
}

async function runExec(
  { cwd, words, ticket, env, stdin }: ExecCall,
  { print, attach }: ExecStreams,
  signal: AbortSignal,
  workspaces: OpenWorkspaces,
  tickets: ExecTickets,
): Promise<number> {
  const typed = words.length === 0 ? null : execLine(words);
  const agreed = ticket === null ? null : tickets.take(ticket, { cwd, command: typed });
  const command = agreed?.command ?? typed;
  if ((ticket !== null && !agreed) || command === null || command.trim() === "") {
    print(Buffer.from(ticket === null ? NO_COMMAND : NO_TICKET), "stderr");
    return NOT_RUN;
  }
  const { inside, release } = await workspaces.hold(cwd);
  try {
    const caller = agreed ? `client:${agreed.client}` : "exec";
    return await execCommand(inside, { command, caller, env, stdin, agreed: agreed?.agreed ?? false, print, attach }, signal);
  } finally {
    release();
  }
}

const NO_TICKET = "zeph: this ticket was used, is too old, or is for another command. Call the command itself, without zeph exec.\n";
const NO_COMMAND = "zeph: there is no command to run.\n";
