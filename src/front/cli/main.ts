import { type Command, CommanderError } from "commander";
import { setInstalled, setLateModules } from "../../files/own-place.ts";
import { visible } from "../../text/visible.ts";
import { EXIT } from "./exit.ts";
import { isForPeople } from "./for-people.ts";
import { withTelemetry } from "./otlp/with-telemetry.ts";
import { continueLast } from "./program/continue.ts";
import type { Begun } from "./program/invocation.ts";
import { type AroundCommand, program } from "./program/program.ts";
import { endQuietlyWhenUnread, endWhenDue } from "./stop.ts";
import { prose } from "./terminal/terminal.ts";

setLateModules(async () => {
  const [{ loadLateModules }] = await Promise.all([
    import("../../runtime/late-modules.ts"),
    import("./otlp/otlp-sdk.ts"),
    import("jose").catch(() => {}),
  ]);
  await loadLateModules();
});

/** The command line of this process, and what was begun before this was read. Sets the exit code and lets the process end by itself, so that everything written is out. */
export async function main(argv: readonly string[], version: string, begun: Begun): Promise<void> {
  if (begun.installed) setInstalled(begun.installed);
  endQuietlyWhenUnread(process.stdout, process.stderr);
  process.on("uncaughtException", (error) => process.exit(tell(error)));
  const stderr = process.stderr;
  process.exitCode = await runCommandLine(argv, version, begun, (command, work) =>
    withTelemetry(command, { env: process.env, version, stderr }, work),
  );
  endWhenDue();
}

/** Returns the exit code. Nothing of the process is changed for good, so that one process can run many. */
export async function runCommandLine(
  argv: readonly string[],
  version: string,
  begun: Begun = {},
  around: AroundCommand = (_command, work) => work(),
): Promise<number> {
  let exitCode: number = EXIT.ok;
  try {
    const end = (code: number) => {
      exitCode = code;
    };
    const zeph: Command = program(argv, version, end, begun, around);
    await zeph.parseAsync(continueLast(argv), { from: "user" });
    return exitCode;
  } catch (error) {
    return tell(error);
  }
}

function tell(error: unknown): number {
  // Commander has said it already: help that was asked for, or what is wrong with the words.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (isForPeople(error)) {
    process.stderr.write(`${prose(visible(error.message), process.stderr)}\n`);
    return EXIT.usage;
  }
  const bug = error instanceof Error ? error : new Error(String(error));
  const hint = process.env.ZEPH_DEBUG ? `\n${bug.stack}` : " Set ZEPH_DEBUG=1 to see where.";
  process.stderr.write(visible(`zeph: a mistake in Zeph itself: ${bug.message}.${hint}\n`));
  return EXIT.bug;
}
