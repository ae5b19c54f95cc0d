import { processKeysAbove } from "../../files/agent-process.ts";
import { hasTerminalAbove } from "../../files/client-terminal.ts";
import type { Connection, HookdLimits, HookdWork } from "../../front/hookd/connection.ts";
import { openHookdServer } from "../../front/hookd/hookd-server.ts";
import { hookdFolder } from "../../front/hookd/socket-place.ts";
import type { HookdCall } from "../../front/hookd/wire.ts";
import { findClient } from "../../hook/find-client.ts";
import { hookProgram } from "../../hook/install/hook-program.ts";
import { takeLetThrough } from "../../hook/install/let-through.ts";
import { askPeer } from "../../host/ask-peer.ts";
import { statePaths } from "../../store/state-paths.ts";
import { makeOnce } from "../../text/make-once.ts";
import { waitAtMost } from "../../text/wait-within.ts";
import { openRuntime } from "../create.ts";
import type { RuntimeOptions } from "../runtime.ts";
import { openStores } from "../settings/stores.ts";
import { answerHook, type HookParts } from "./answer-hook.ts";
import { clientProcesses } from "./client-processes.ts";
import { runExec } from "./exec/run-exec.ts";
import { createSessionsSeen } from "./first-of-session.ts";
import { createHookTickets } from "./hook-tickets.ts";
import { installedMode } from "./installed-mode.ts";
import { createLateNotes } from "./late-notes.ts";
import { createNameQuestions, type NameQuestions } from "./name-questions.ts";
import { type OpenWorkspaces, openKeptWorkspaces } from "./open-workspaces.ts";
import { createReplacedCheck } from "./replaced-check.ts";
import { isRewritten, rewriteCall } from "./rewrite-call.ts";
import { createSessionFolders, type FindSession } from "./session-folders.ts";
import { createClientStanding } from "./standing/ask-client-rules.ts";
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
export type HookdRules = Pick<HookParts, "modeOf" | "tickets" | "standing">;

/** The resident process behind hooks and `zeph exec`. Resolves when it has ended. */
export async function serveHookd({ version, home, env, settings, signal, parts, limits }: HookdSettings): Promise<void> {
  const { store } = openStores(settings, home);
  const tickets = createHookTickets(store.openQuestions);
  const names = createNameQuestions(tickets);
  const workspaces = openKeptWorkspaces((cwd, memory) =>
    openRuntime({ ...settings, cwd, memory, shared: store, nested: true, servers: "later", watch: true, confirm: names.confirm }),
  );
  try {
    const rules = parts ?? { modeOf: installedMode, tickets, standing: createClientStanding().of };
    const unanswered = () => takeLetThrough(env, home);
    const inSession = createSessionFolders(store.sessionMemory);
    const work = createHookdWork({ workspaces, tickets: createExecTickets(), names, rules, unanswered, inSession, version });
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

interface WorkParts {
  readonly workspaces: OpenWorkspaces;
  readonly tickets: ExecTickets;
  readonly names: NameQuestions;
  readonly rules: HookdRules;
  readonly inSession: FindSession;
  readonly version: string;
  /** What is to be noted about calls that nobody answered. */
  unanswered(): readonly string[];
}

function createHookdWork({ workspaces, tickets, names, rules, unanswered, inSession, version }: WorkParts): HookdWork {
  const [program = "", ...others] = hookProgram();
  const peerOf = (from: Connection) => askPeer({ ...from, writable: workspaces.folders() }).catch(() => null);
  const isReplaced = createReplacedCheck({ version, peerOf, state: statePaths({ store: "", audit: "" }).state });
  const isFirst = createSessionsSeen();
  const notes = createLateNotes();
  const walls: HookParts["walls"] = {
    isOwn: (command) => isRewritten(command, program),
    rewrite: (judged, pid) =>
      rewriteCall({ ...judged, processes: clientProcesses(judged.client.name, pid) }, { tickets, program, isFirst }),
  };
  return {
    state: () => ({ workspaces: workspaces.count() }),
    isReplaced,
    async answer(call, { longer, from }) {
      const held: { release(): void }[] = [];
      const askPid = makeOnce(async () => (await peerOf(from))?.pid ?? null);
      try {
        return await answerHook(
          { ...call, tty: await hasPerson(call, askPid), askPid },
          {
            ...rules,
            inSession,
            // A whole Zeph for each command would take too long to start.
            ...(others.length === 0 && { walls }),
            letThrough: notes.add,
            async runtimeFor(cwd) {
              const one = await workspaces.hold(cwd, longer);
              held.push(one);
              unanswered().forEach(notes.add);
              notes.write(one.inside.note);
              const { tools } = one.inside.config;
              if (tools.adversarial_policy.enabled || tools.governance.block_risky_patterns) longer();
              return one.inside;
            },
          },
        );
      } finally {
        for (const one of held) one.release();
      }
    },
    exec: (call, streams, signal, from) => {
      const above = async () => {
        const peer = await peerOf(from);
        return peer ? processKeysAbove(peer) : [];
      };
      return runExec(call, streams, signal, { workspaces, tickets, names, above });
    },
  };
}

/** The client program knows of a terminal; whether its agent was told to ask nobody is known here. */
async function hasPerson({ client, tty }: HookdCall, askPid: () => Promise<number | null>): Promise<boolean> {
  if (!tty || findClient(client)?.can.ask !== "terminal") return tty;
  const pid = await askPid();
  return pid !== null && hasTerminalAbove(pid);
}
