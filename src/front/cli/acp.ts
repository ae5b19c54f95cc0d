import { Console } from "node:console";
import { version } from "../../files/version.ts";
import { untilAborted } from "../../text/abort.ts";
import { waitWithin } from "../../text/wait-within.ts";
import { EXIT } from "./exit.ts";
import type { Invocation } from "./program/invocation.ts";
import { warn } from "./run/print.ts";
import { endWithin, listenForStop } from "./stop.ts";

/** How long what runs may take to end once the editor is gone. */
const LONGEST_END_MS = 1500;

/** `zeph acp`: an agent for an editor that speaks the Agent Client Protocol on stdin and stdout. Returns when the editor is gone. */
export async function serveAcp({ flags, settings, terminal }: Invocation): Promise<number> {
  const { stdin, stdout, stderr } = terminal;
  // What is not the protocol must never get into it, whoever prints it.
  globalThis.console = new Console(stderr, stderr);
  // One broken promise must not end everybody's sessions.
  process.on("unhandledRejection", (error) =>
    warn(terminal, `an error was not handled: ${error instanceof Error ? error.message : error}`),
  );
  if (stdin.isTTY)
    stderr.write("zeph acp speaks with an editor, not with a person. docs/editors.md shows how to set one up. Ctrl-C ends it.\n");
  const { signal } = listenForStop();
  const { createEditorAgents, serveEditor, createEditorStream } = await import("../../runtime/editor/server.ts");
  const model = typeof flags.model === "string" ? { model: flags.model } : {};
  const desk = createEditorAgents({ cwd: process.cwd(), ...settings, ...model, live: { kind: "acp", where: "the editor" } });
  const stream = createEditorStream(stdout, stdin);
  const serving = serveEditor(stream, desk, { version: version(), asks: flags.later ? "later" : "now" });
  await Promise.race([serving.closed, untilAborted(signal)]);
  const isEnded = await waitWithin(
    serving.close().then(() => true),
    LONGEST_END_MS,
    false,
  );
  if (!isEnded) warn(terminal, "a command did not end in time; its sandbox ends with this process.");
  // A model that hangs, or an editor that does not read, keeps nobody here.
  endWithin(100);
  stdin.destroy();
  return EXIT.ok;
}
