import { type OpenAgent, withAgent } from "./agent.ts";
import { EXIT, runExit } from "./exit.ts";
import type { Invocation } from "./invocation.ts";
import { harmless, jsonLine } from "./print.ts";
import { jsonFront } from "./run-json.ts";
import { type RunOptions, runOptions } from "./run-options.ts";
import { textFront } from "./run-text.ts";
import { listenForStop } from "./stop.ts";
import { isForPeople } from "./told.ts";
import { openSum, type Sum } from "./totals.ts";
import { openRuns } from "./unheard.ts";

/** `zeph run "<task>"`: one task, told as it goes; who starts it need not stay. Returns the exit code. */
export async function run({ words, flags, settings, terminal }: Invocation): Promise<number> {
  let isAsked = false;
  const sum = openSum();
  try {
    const options = await runOptions(words, flags, terminal);
    const stop = listenForStop();
    const front = options.form === "json" ? jsonFront(options, terminal) : await textFront(options, terminal, stop);
    const runs = openRuns();
    try {
      await withAgent(
        settings,
        options.wish,
        front.asked,
        async (event) => {
          sum.add(event);
          runs.add(event);
          await front.event(event);
        },
        async (open) => {
          isAsked = true;
          await work(open, options, stop.signal);
          await front.end(sum.totals(), open.agent.conversation, await runs.left(open.agent, front.event));
        },
      );
    } finally {
      front.close();
    }
    return code(sum, stop.signal);
  } catch (error) {
    if (!isForPeople(error)) throw error;
    if (flags.json) terminal.stdout.write(jsonLine({ type: "error", message: error.message }));
    else terminal.stderr.write(`${harmless(error.message)}\n`);
    return isAsked && error.name === "ModelError" ? EXIT.model : EXIT.usage;
  }
}

async function work({ agent, tell }: OpenAgent, { task, maxTurns, background }: RunOptions, signal: AbortSignal): Promise<void> {
  const options = { signal, ...(maxTurns !== undefined && { maxTurns }) };
  await tell(agent.send(task, options));
  if (background === "kill") return;
  while (agent.pending() > 0 && !signal.aborted) await tell(agent.attend(options));
}

/** Stopped while it only waited, too, is cancelled. */
const code = ({ endings, totals }: Sum, signal: AbortSignal): number =>
  runExit(signal.aborted ? [...endings, "cancelled"] : endings, totals());
