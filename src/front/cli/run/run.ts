import type { Ending, ZephEvent } from "../../../core/event.ts";
import type { Agent, SendOptions } from "../../../runtime/agent/agent-types.ts";
import { visible } from "../../../text/visible.ts";
import { type OpenAgent, withAgent } from "../agent.ts";
import { createBackgroundRuns } from "../chat/background-runs.ts";
import { type ChatTotals, createChatTotals } from "../chat/chat-totals.ts";
import { EXIT, runExit } from "../exit.ts";
import { isForPeople } from "../for-people.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { listenForStop } from "../stop.ts";
import { prose } from "../terminal/terminal.ts";
import { jsonLine } from "./print.ts";
import { createJsonFront } from "./run-json.ts";
import { type RunSettings, runOptions } from "./run-options.ts";
import { createTextFront } from "./run-text.ts";

/** `zeph run "<task>"`: one task, told as it goes; who starts it need not stay. Returns the exit code. */
export const run = (given: Invocation): Promise<number> =>
  tellRun(
    given,
    () => runOptions(given.words, given.flags, given.terminal),
    (agent, { task, typed }, options) => agent.send(task, { ...options, mentions: typed }),
  );

/** Opens an agent and tells how its work goes, from the first turn that `begin` begins to the last background command. */
export async function tellRun<O extends RunSettings>(
  { flags, settings, terminal }: Invocation,
  read: () => Promise<O>,
  begin: (agent: Agent, options: O, turn: SendOptions) => AsyncIterable<ZephEvent>,
): Promise<number> {
  let isAsked = false;
  let limit: string | null = null;
  const sum = createChatTotals();
  try {
    const options = await read();
    const stop = listenForStop();
    const front = options.form === "json" ? createJsonFront(options, terminal) : await createTextFront(options, terminal, stop);
    const runs = createBackgroundRuns();
    try {
      await withAgent(
        settings,
        {
          ...options.wish,
          limits: options.limits,
          live: { kind: "run", where: options.form === "json" ? "stdin" : "the terminal", ...(options.waits && { waits: true }) },
        },
        front.asked,
        async (event) => {
          sum.add(event);
          runs.add(event);
          await front.event(event);
        },
        async (open) => {
          assertPrice(options.limits, open.agent);
          isAsked = true;
          limit = await work(open, options, (agent, turn) => begin(agent, options, turn), sum, stop.signal);
          if (limit !== null) await front.event({ type: "warning", message: limit });
          await front.end(sum.totals(), open.agent.conversation, await runs.left(open.agent, front.event));
        },
      );
    } finally {
      front.close();
    }
    const more: Ending[] = [...(stop.signal.aborted ? ["cancelled" as const] : []), ...(limit === null ? [] : ["iterations" as const])];
    return runExit([...sum.endings, ...more], sum.totals());
  } catch (error) {
    if (!isForPeople(error)) throw error;
    if (flags.json) terminal.stdout.write(jsonLine({ type: "error", message: error.message }));
    else terminal.stderr.write(`${prose(visible(error.message), terminal.stderr)}\n`);
    return isAsked && error.name === "ModelError" ? EXIT.model : EXIT.usage;
  }
}

/** Said here, before anything is sent: what a person typed is no mistake of the program. */
function assertPrice({ usd }: RunSettings["limits"], { model }: Agent): void {
  if (usd !== undefined && !model.price)
    throw new UsageError(
      `--max-usd needs the price of the model, and ${model.id} has none. Set \`price\` for its provider under [[llm.providers]] (docs/models.md, "What it costs"), or use --max-tokens.`,
    );
}

const MOST_ATTENDED = 20;

/** The task, and then the ends of commands in the background. A sentence when a limit ended it before they had. */
async function work(
  { agent, tell }: OpenAgent,
  { maxTurns, background }: RunSettings,
  begin: (agent: Agent, turn: SendOptions) => AsyncIterable<ZephEvent>,
  sum: ChatTotals,
  signal: AbortSignal,
): Promise<string | null> {
  const left = () => (maxTurns === undefined ? undefined : maxTurns - sum.totals().requests);
  const options = (rounds: number | undefined) => ({ signal, ...(rounds !== undefined && { maxTurns: rounds }) });
  await tell(begin(agent, options(maxTurns)));
  if (background === "kill") return null;
  for (let n = 0; agent.pending() > 0 && !signal.aborted; n++) {
    const rounds = left();
    if (rounds !== undefined && rounds < 1)
      return `The run has used its ${maxTurns} rounds (--max-turns), so the model does not hear how the commands in the background ended.`;
    if (rounds === undefined && n === MOST_ATTENDED)
      return `The model was told ${MOST_ATTENDED} times that a command in the background ended, and there is still one. --max-turns sets another limit.`;
    await tell(agent.attend(options(rounds)));
  }
  return null;
}
