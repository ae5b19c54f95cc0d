import { methods, type TerminalHandle } from "@agentclientprotocol/sdk";
import { EditorRefused, type EditorTerminal, type TerminalEnd, type TerminalLine, TerminalUnavailable } from "../../core/ports/editor.ts";
import { waitWithin } from "../../text/wait-within.ts";
import { refusalIn } from "./refusal.ts";
import type { Wire } from "./wire.ts";

/** An editor that does not answer is not waited for. */
const CREATE_MS = 10_000;
const ASIDE_MS = 1500;

/** Runs commands where the person watches them; undefined where the editor has no terminal. `shown` is told which call is in which terminal. */
export function createEditorTerminal(wire: Wire, shown: (callId: string, terminalId: string) => void): EditorTerminal | undefined {
  if (!wire.can.terminal) return undefined;
  return {
    async run(line, signal) {
      const terminal = await create(wire, line, signal);
      if (terminal === null) return { output: "", truncated: false, exitCode: null, stopped: "aborted" };
      shown(line.callId, terminal.id);
      try {
        return await watched(wire, terminal, line, signal);
      } finally {
        void quietly(terminal.release());
      }
    },
  };
}

/** Null when it was cancelled meanwhile. Nothing was started when this throws. */
async function create(wire: Wire, { argv, cwd, env, outputBytes }: TerminalLine, signal: AbortSignal): Promise<TerminalHandle | null> {
  const [command = "", ...args] = argv;
  const request = wire.client.createTerminal({
    sessionId: wire.sessionId,
    command,
    args,
    cwd,
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    outputByteLimit: outputBytes,
  });
  const made = await waitWithin(request, CREATE_MS, LATE, signal).catch((error: unknown) => {
    const found = refusalIn(error);
    if (found instanceof EditorRefused) throw found;
    throw new TerminalUnavailable(`the editor opened no terminal: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (made !== LATE) return made as TerminalHandle;
  // It may still be opened: then it must not go on alone.
  void quietly(request.then((late) => late.kill().finally(() => late.release())));
  if (signal.aborted) return null;
  // Whether it has begun is not known, so nobody may begin it again.
  throw new Error(`The editor has not opened a terminal within ${CREATE_MS / 1000} s. The command was not waited for.`);
}

async function watched(wire: Wire, terminal: TerminalHandle, line: TerminalLine, signal: AbortSignal): Promise<TerminalEnd> {
  const lost = () => null;
  const { over } = line;
  const until = over ? AbortSignal.any([signal, over]) : signal;
  const exit = await waitWithin(terminal.waitForExit().catch(lost), over ? LONGEST_WAIT_MS : line.timeoutMs, LATE, until);
  const stopped = exit !== LATE ? null : signal.aborted ? ("aborted" as const) : ("timeout" as const);
  // Where the editor lost track of it, it is ended too: nothing runs on unseen.
  if (stopped !== null || exit === null) await waitWithin(quietly(terminal.kill()), ASIDE_MS, undefined);
  const printed = await waitWithin(quietly(output(wire, terminal.id)), ASIDE_MS, undefined);
  const text = { output: printed?.output ?? "", truncated: printed?.truncated ?? false };
  if (stopped !== null) return { ...text, exitCode: null, stopped };
  const status = (exit as Awaited<ReturnType<TerminalHandle["waitForExit"]>> | null) ?? printed?.exitStatus;
  if (!status)
    throw new Error(`The editor lost the terminal of this command, and it was ended. It had printed: ${text.output.slice(-2000)}`);
  return { ...text, exitCode: status.exitCode ?? null, ...(status.signal && { signal: status.signal }) };
}

const output = (wire: Wire, terminalId: string) =>
  wire.client.request(methods.client.terminal.output, { sessionId: wire.sessionId, terminalId });

/** Undefined where the editor would not. */
const quietly = <T>(work: Promise<T>): Promise<T | undefined> => work.catch(() => undefined);

const LATE = Symbol("late");
/** Longer than any command is let run. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;
