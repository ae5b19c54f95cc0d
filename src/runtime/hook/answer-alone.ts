import type { Store } from "../../core/ports/store.ts";
import type { HookOutput } from "../../hook/client.ts";
import { statePaths } from "../../store/state-paths.ts";
import { openRuntime } from "../create.ts";
import type { RuntimeInternals, RuntimeOptions } from "../runtime.ts";
import { openStores } from "../settings/stores.ts";
import { answerHook, type HookInput } from "./answer-hook.ts";
import { createHookTickets } from "./hook-tickets.ts";
import { judgingMode } from "./installed-mode.ts";
import { createSessionFolders } from "./session-folders.ts";
import { createClientStanding } from "./standing/ask-client-rules.ts";

/** Answers one hook in this process: opens a runtime for the call's folder and closes it again. What gates remember from call to call is in the store. */
export async function answerAlone(input: HookInput, settings: Pick<RuntimeOptions, "config" | "set">): Promise<HookOutput> {
  const opened: RuntimeInternals[] = [];
  const store = openStore(settings);
  // Settings that cannot be read are a denial in the client's own words.
  if (store instanceof Error) return answerHook(input, { runtimeFor: () => Promise.reject(store), modeOf: judgingMode });
  try {
    return await answerHook(input, {
      async runtimeFor(cwd) {
        const runtime = await openRuntime({ ...settings, cwd, shared: store, servers: "later" });
        opened.push(runtime);
        return runtime;
      },
      inSession: createSessionFolders(store.sessionMemory),
      standing: (client, call, command) => createClientStanding().of(client, call, command, process.pid),
      // Who rewrites a command has to be there while it runs.
      modeOf: judgingMode,
      tickets: createHookTickets(store.openQuestions),
    });
  } finally {
    for (const { zeph } of opened) await zeph.close().catch(() => {});
    await store.close().catch(() => {});
  }
}

function openStore(settings: Pick<RuntimeOptions, "config" | "set">): Store | Error {
  try {
    return openStores(settings, statePaths({ store: "", audit: "" }).home).store;
  } catch (error) {
    return error as Error;
  }
}
