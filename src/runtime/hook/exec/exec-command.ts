import { randomUUID } from "node:crypto";
import { answerText } from "../../../core/answer.ts";
import type { Confirm, Question } from "../../../core/event.ts";
import type { Outcome } from "../../../core/layer.ts";
import type { Owner } from "../../../core/ports/printed/overflow.ts";
import type { RunningCommand } from "../../../core/ports/shell.ts";
import { ToolRequest } from "../../../core/request.ts";
import type { Caller } from "../../../core/session.ts";
import { isHarmlessVariable } from "../../../host/sandbox/environment.ts";
import { quoteShell } from "../../../text/quote-shell.ts";
import { laterText } from "../../../tools/command-output.ts";
import { OWNER, shortenAndKeep } from "../../filter/standalone-filter.ts";
import { wholeOutputAsked, wholeOutputLine } from "../../filter/whole-output.ts";
import type { RuntimeInternals } from "../../runtime.ts";
import { clientCaller } from "../../sessions/client-session.ts";
import { createExecOutput, mayShorten } from "./exec-output.ts";

/** A command that is run for whoever waits for it. */
export interface ExecJob {
  readonly command: string;
  readonly caller: ExecCaller;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  /** What the gates ask about it was asked already, and answered with yes. */
  readonly agreed: boolean;
  /** Told on stderr at the end. */
  readonly note: string | null;
  print(bytes: Uint8Array, stream: "stdout" | "stderr"): void;
  attach(running: RunningCommand): void;
}

/** Who wants it: whoever typed it, or a session of a client whose hook judged it. `begin` is told the id it runs under. */
export type ExecCaller =
  | { readonly kind: "exec" }
  | { readonly kind: "client"; readonly client: string; readonly session: string; begin(callId: string): () => void };

/** What gates remember of a client's session they remember of its commands, too. */
const callerOf = (caller: ExecCaller): Caller => {
  if (caller.kind === "exec") return { callerId: "exec", front: true, phase: "executor" };
  return clientCaller(caller.client, caller.session);
};

/** Found but not run, as shells say it. */
export const NOT_RUN = 126;

/** The command as one line. One word with a blank in it is a line for the shell already. */
export const execLine = (words: readonly string[]): string =>
  words.length === 1 && /\s/.test(words[0]!) ? words[0]! : words.map(quoteShell).join(" ");

/** Runs it through every gate, behind the walls and into the audit log. Returns its own exit code. */
export async function execCommand(inside: RuntimeInternals, job: ExecJob, signal: AbortSignal): Promise<number> {
  const { command, caller, stdin, print, attach } = job;
  const say = (text: string) => print(Buffer.from(`${text.trimEnd()}\n`), "stderr");
  const handle = wholeOutputAsked(command);
  if (handle !== null) return printWhole(inside, handle, job);
  const output = createExecOutput(mayShorten(command) ? "held" : "passed on", inside.redact, print);
  let exitCode: number | null = null;
  let left: readonly string[] = [];
  const { timeout, max_timeout } = inside.config.tools.shell;
  const request = ToolRequest.from({ id: randomUUID(), name: "bash", args: { command, timeout: Math.max(timeout, max_timeout) } })!;
  const calls = inside.session.begin();
  const who = callerOf(caller);
  // What the command is of ends with it; what the session has read does not.
  const turn = { ...calls.current(who), ...(caller.kind === "client" && { seen: inside.session.current(who).seen }) };
  const end = caller.kind === "client" ? caller.begin(request.id) : () => {};
  try {
    const run = () =>
      inside.call(request, {
        signal,
        turn,
        confirm: answerOnce(job.agreed),
        streams: {
          stdin,
          env: Object.fromEntries(Object.entries(job.env).filter(([name]) => isHarmlessVariable(name))),
          output: output.add,
          started: attach,
          ended(code) {
            exitCode = code;
          },
          left(later) {
            left = later.map(laterText);
          },
        },
      });
    const outcome = await inside.sessions.during(turn, run);
    await inside.sessions.sync(turn);
    const code = exitCode ?? NOT_RUN;
    const held = output.end();
    if (held) await printShortened(inside, { command, exitCode: code }, held, job);
    if (exitCode === null) say(answerText(outcome));
    else for (const note of notesOf(outcome, code, caller)) say(`zeph: ${note}`);
    if (left.length > 0) inside.note(`the command ${request.id} of ${callerOf(caller).callerId}: ${left.join("; ")}`);
    for (const one of left.slice(0, MOST_LEFT)) say(`zeph: ${one}`);
    if (left.length > MOST_LEFT) say(`zeph: and ${left.length - MOST_LEFT} more, which the audit log names`);
    if (job.note !== null) say(`zeph: ${job.note}`);
    return code;
  } finally {
    end();
    calls.end();
  }
}

/** A session reads its own outputs and no others. */
const ownerOf = (caller: ExecCaller): Owner => (caller.kind === "exec" ? OWNER : { session: `exec ${caller.client} ${caller.session}` });

/** The whole of an output that was shortened here. Behind the walls nothing could find it. */
async function printWhole({ store }: RuntimeInternals, handle: string, { caller, print }: ExecJob): Promise<number> {
  const kept = await store.overflow.get(ownerOf(caller), handle);
  if (kept) print(Buffer.from(withNewline(kept.text)), "stdout");
  else print(Buffer.from(`zeph: nothing is kept as ${handle} of this session, or it has expired.\n`), "stderr");
  return kept ? 0 : 1;
}

/** Files that a command left, told one by one. */
const MOST_LEFT = 20;

/** Nobody sits at a command: either everything was agreed to before, or nothing is. */
const answerOnce =
  (agreed: boolean): Confirm =>
  (question) =>
    agreed && !isOfRunning(question) && question.without_walls === undefined ? { answer: "once" } : { unasked: NEEDS_YES };

/** Questions of a command that runs already. Whoever agreed to the command was not shown these. */
export const isOfRunning = ({ wants, whole_repository }: Question): boolean => wants !== undefined || whole_repository !== undefined;

const NEEDS_YES = "It needs a yes, and nobody can be asked here. Call the command itself with the shell tool, whose hook asks.";

/** What is worth knowing besides what the command says itself. */
function notesOf(outcome: Outcome, exitCode: number, { kind }: ExecCaller): readonly string[] {
  const { hint } = outcome.output ?? {};
  // The hint names the question that was kept for a client, and the setting.
  if (kind === "client") return hint && exitCode !== 0 ? [hint] : [];
  const isClosedName = !outcome.ok && outcome.error.category === "confirmation_required";
  return [...(hint && exitCode !== 0 ? [hint] : []), ...(isClosedName ? [outcome.error.message, OPEN_NAME] : [])];
}

const OPEN_NAME =
  "A person opens the name by adding it to tools.sandbox.allow_domains (`zeph config path` says in which file); it counts at once. Then repeat the command. Do not look for another way out.";

async function printShortened(
  inside: RuntimeInternals,
  ran: { readonly command: string; readonly exitCode: number },
  held: Readonly<Record<"stdout" | "stderr", Buffer>>,
  { print, caller }: Pick<ExecJob, "print" | "caller">,
): Promise<void> {
  const filter = await inside.outputFilter();
  for (const stream of ["stdout", "stderr"] as const) {
    const bytes = held[stream];
    if (bytes.length === 0) continue;
    const raw = bytes.toString("utf8");
    // What is no text is for a program.
    if (!Buffer.from(raw).equals(bytes)) {
      print(Buffer.from(inside.redact(bytes.toString("latin1")), "latin1"), stream);
      continue;
    }
    const { text, left, kept } = await shortenAndKeep({ ...ran, raw }, filter, inside.store, ownerOf(caller));
    const shown = left === null ? inside.redact(raw) : withNewline(text) + (kept === null ? "" : `${wholeOutputLine(kept)}\n`);
    print(Buffer.from(shown), stream);
  }
}

const withNewline = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);
