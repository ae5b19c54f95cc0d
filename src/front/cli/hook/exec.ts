import { constants } from "node:os";
import type { RunningCommand } from "../../../core/ports/shell.ts";
import { openRuntime } from "../../../runtime/create.ts";
import { execCommand, execLine } from "../../../runtime/hook/exec/exec-command.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { UsageError } from "../io.ts";
import { type Invocation, splitCommand } from "../program/invocation.ts";
import { warn } from "../run/print.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `zeph exec` where no resident process can be had: the same in this one. Returns the exit code of the command. */
export async function exec(given: Invocation): Promise<number> {
  const { terminal, settings, flags } = given;
  const { command: words } = splitCommand(given);
  if (flags.ticket !== undefined)
    throw new UsageError("A ticket is known to `zeph hookd` alone, and that does not answer. Call the command itself.");
  if (!words || words.every((word) => word.trim() === "")) throw new UsageError("Say what to run: zeph exec -- <command…>");
  const stop = new AbortController();
  let running: RunningCommand | null = null;
  let ended: number | null = null;
  for (const name of SIGNALS)
    process.on(name, () => {
      const number = constants.signals[name];
      if (running?.signal(number)) return;
      ended = 128 + number;
      stop.abort();
    });
  const { stdin } = process;
  const attach = (command: RunningCommand) => {
    running = command;
    stdin.on("data", (bytes: Buffer) => void (command.write(bytes, () => stdin.resume()) || stdin.pause()));
    stdin.once("end", command.end);
  };
  const inside = await openRuntime({
    cwd: process.cwd(),
    ...settings,
    servers: "later",
    onEvent: (event) => void (event.type === "warning" && warn(terminal, event.message)),
  });
  const env = Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  const code = await whileOpen(inside.zeph, () =>
    execCommand(
      inside,
      {
        ...{ command: execLine(words), caller: { kind: "exec" }, env, stdin: true, agreed: false, note: null, attach },
        print: (bytes, stream) => void process[stream].write(bytes),
      },
      stop.signal,
    ),
  );
  stdin.destroy();
  return ended ?? code;
}
