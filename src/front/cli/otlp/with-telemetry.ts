import { visible } from "../../../text/visible.ts";
import { type OtlpVariables, readOtlpSettings, wantsOtlp } from "./otlp-settings.ts";

export interface TelemetryParts {
  readonly env: OtlpVariables;
  readonly version: string;
  readonly stderr: { write(text: string): unknown };
}

/** How long the end of a process waits for a collector. Clients that stop a server wait two seconds for it. */
const FLUSH_MS = 1500;

/** Commands that work with tools, models or tasks. The others end before anything could be told of them. */
const WATCHED = new Set([
  "zeph",
  "acp",
  "answer",
  "call",
  "exec",
  "hook",
  "hookd",
  "mcp",
  "run",
  "schedule",
  "serve",
  "submit",
  "watch",
  "worker",
]);
/** Of these, the ones that do one thing: it belongs to the trace of whoever started them. */
const ONE_THING = new Set(["call", "exec", "run"]);
/** Whoever starts these reads what they print as the answer of a hook, or of another program. */
const SILENT = new Set(["exec", "hook", "hookd"]);

/** Runs a command, and tells what it does to the collector that the person's environment names. Without such a variable nothing is read and nothing is done. */
export async function withTelemetry(
  command: string,
  { env, version, stderr }: TelemetryParts,
  work: () => Promise<number>,
): Promise<number> {
  if (!WATCHED.has(command) || !wantsOtlp(env)) return work();
  const settings = readOtlpSettings(env);
  const say = (words: string) => void stderr.write(`zeph: telemetry: ${visible(words)}\n`);
  if (!SILENT.has(command)) for (const problem of settings.problems) say(problem);
  if (!settings.traces && !settings.metrics) return work();
  let isTold = false;
  const trouble = (words: string) => {
    // A collector that is away is no trouble of the person's work: `zeph doctor` tells of it.
    if (!env.ZEPH_DEBUG || SILENT.has(command) || isTold) return;
    isTold = true;
    say(words);
  };
  const traceparent = ONE_THING.has(command) ? env.TRACEPARENT : undefined;
  const otlp = await open({ settings, version, traceparent, trouble });
  if (otlp === null) return work();
  try {
    return await otlp.within(work);
  } finally {
    await otlp.close(FLUSH_MS);
  }

  /** A file for TLS that cannot be read must not end a command. */
  async function open(parts: Parameters<typeof import("./otlp-sdk.ts").openOtlp>[0]) {
    try {
      return (await import("./otlp-sdk.ts")).openOtlp(parts);
    } catch (error) {
      if (!SILENT.has(command)) say(`nothing is sent: ${(error as Error).message}`);
      return null;
    }
  }
}
