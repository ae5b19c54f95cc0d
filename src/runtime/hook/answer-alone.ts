import type { HookOutput } from "../../hook/client.ts";
import { openRuntime } from "../create.ts";
import type { RuntimeInternals, RuntimeOptions } from "../runtime.ts";
import { answerHook, type HookInput } from "./answer-hook.ts";
import { createHookTickets } from "./hook-tickets.ts";
import { judgingMode } from "./installed-mode.ts";
import { createClientStanding } from "./standing/ask-client-rules.ts";

/** Answers one hook in this process: opens a runtime for the call's folder and closes it again. What gates remember from call to call is then only what the store keeps. */
export async function answerAlone(input: HookInput, settings: Pick<RuntimeOptions, "config" | "set">): Promise<HookOutput> {
  const opened: RuntimeInternals[] = [];
  try {
    return await answerHook(input, {
      async runtimeFor(cwd) {
        const runtime = await openRuntime({ ...settings, cwd, servers: "later" });
        opened.push(runtime);
        return runtime;
      },
      standing: (client, call, command) => createClientStanding().of(client, call, command, process.pid),
      // Who rewrites a command has to be there while it runs.
      modeOf: judgingMode,
      tickets: {
        take: (question) => ticketsIn(opened).take(question),
        keep: (question) => ticketsIn(opened).keep(question),
      },
    });
  } finally {
    for (const { zeph } of opened) await zeph.close().catch(() => {});
  }
}

/** Nothing is asked before there is a runtime, whose store keeps the questions. */
const ticketsIn = (opened: readonly RuntimeInternals[]) => createHookTickets(opened[0]!.store.openQuestions);
