import type { HookOutput } from "../../hook/client.ts";
import { openRuntime } from "../create.ts";
import type { RuntimeInternals, RuntimeOptions } from "../runtime.ts";
import { answerHook, type HookInput } from "./answer-hook.ts";

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
      // Who rewrites a command has to be there while it runs.
      modeOf: () => "guard",
    });
  } finally {
    for (const { zeph } of opened) await zeph.close().catch(() => {});
  }
}
