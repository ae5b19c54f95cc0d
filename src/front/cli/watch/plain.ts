import type { LiveLine, OpenLiveSource } from "../../../runtime/live/live-source.ts";
import { untilAborted } from "../../../text/abort.ts";
import { visible } from "../../../text/visible.ts";
import { assertNoAgentAbove } from "../ask/agent-above.ts";
import { openRunningProcesses } from "../ask/running-processes.ts";
import { withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { listenForStop } from "../stop.ts";
import { createTailText, runLine, tailQuestion } from "./tail-text.ts";

/** `zeph watch --plain`: tells calls and questions of every running process, until it is stopped. */
export function watchPlain({ flags, settings, terminal }: Invocation): Promise<number> {
  const { stdout, stderr, out, err } = terminal;
  return withStores(settings, terminal, async (desk) => {
    assertNoAgentAbove(desk.at.audit, "zeph watch");
    const { signal } = listenForStop();
    const text = createTailText(out);
    const print = flags.json
      ? (pid: number, line: LiveLine | null) => stdout.write(jsonLine(line === null ? { type: "gone", pid } : { ...line, pid }))
      : (pid: number, line: LiveLine | null) => stdout.write(visible(text(pid, line)));
    const live = openRunningProcesses(desk, settings, { where: "zeph watch", ...(!flags.once && { told: print }) });
    try {
      await live.ready();
      if (flags.once) return await sayOnce(live, { flags, terminal });
      if (live.runs().length === 0 && !flags.json) stderr.write(err.dim("Nothing runs now. What starts is told here. Ctrl-C ends this.\n"));
      // The sockets keep this process, and a signal does not.
      await untilAborted(signal);
      return EXIT.ok;
    } finally {
      live.close();
    }
  });
}

/** What runs now, and what waits for an answer. */
async function sayOnce(
  live: OpenLiveSource,
  { flags, terminal: { stdout, out } }: Pick<Invocation, "flags" | "terminal">,
): Promise<number> {
  const runs = live.runs();
  const questions = await live.questions();
  if (flags.json) {
    for (const run of runs) stdout.write(jsonLine({ type: "run", ...run }));
    for (const { callId, ...question } of questions) stdout.write(jsonLine({ type: "question", call_id: callId, ...question }));
    return EXIT.ok;
  }
  if (runs.length === 0 && questions.length === 0) stdout.write("Nothing runs now, and no question is open.\n");
  for (const run of runs) stdout.write(visible(`${runLine(run)}\n`));
  for (const { callId, pid, question } of questions)
    stdout.write(visible(tailQuestion(pid ?? null, { ...question, call_id: callId }, out)));
  return EXIT.ok;
}
