import { ToolError } from "../../../core/error.ts";
import { sampleCalls } from "../../../neighbours/import/sample-calls.ts";
import { openRuntime, type Zeph } from "../../../runtime/create.ts";
import { whileOpen } from "../../../text/while-open.ts";
import type { GlobalSettings } from "../runtime.ts";
import type { ImportTarget, Verdicts } from "./import-text.ts";

/** What the rules decide about calls that the imported files speak of. Nothing is run, and no server is started. `earlier` is the same from before. */
export async function judgeSamples(targets: readonly ImportTarget[], settings: GlobalSettings, earlier?: Verdicts): Promise<Verdicts> {
  const files = targets.flatMap(({ files }) => files).filter(({ rules }) => sampleCalls(rules).length > 0);
  if (files.length === 0) return [];
  const { zeph } = await openRuntime({
    cwd: process.cwd(),
    servers: "later",
    ...settings,
    set: [...settings.set, "mcp.servers=[]"],
    onEvent: () => {},
  });
  return whileOpen(zeph, async () => {
    const verdicts = [];
    for (const [n, { name, rules }] of files.entries()) {
      const calls = [];
      for (const [i, { tool, args }] of sampleCalls(rules).entries()) {
        const now = await judge(zeph, tool, args);
        calls.push({ tool, args, before: earlier?.[n]?.calls[i]?.after ?? now, after: now });
      }
      verdicts.push({ file: name, calls });
    }
    return verdicts;
  });
}

async function judge(zeph: Zeph, tool: string, args: object): Promise<string> {
  try {
    return (await zeph.judge(tool, args)).verdict;
  } catch (error) {
    // A tool that is left out by the settings is not used.
    if (error instanceof ToolError) return "deny";
    throw error;
  }
}
