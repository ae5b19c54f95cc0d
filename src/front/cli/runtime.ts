import { openRuntime, type Zeph } from "../../runtime/create.ts";
import { whileOpen } from "../../text/while-open.ts";
import type { QuestionHandlers } from "./ask/person.ts";
import { warn } from "./run/print.ts";
import type { ReloadEvent } from "./run/reload-text.ts";
import { listenForReload } from "./signal-reload.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** The global options. */
export interface GlobalSettings {
  /** Read in place of the user's file. */
  readonly config?: string;
  /** `key=value`, in the order given. */
  readonly set: readonly string[];
}

/**
 * Opens the runtime a command works with, says what is odd about the configuration, and closes it whatever happens.
 * With `reloaded` it is one that stays: its rules are read again when their files change, or on a signal, and this is told.
 */
export async function withRuntime<T>(
  settings: GlobalSettings,
  asked: QuestionHandlers,
  terminal: Terminal,
  work: (zeph: Zeph) => Promise<T>,
  reloaded?: (event: ReloadEvent) => void,
): Promise<T> {
  const signal = reloaded && listenForReload();
  try {
    const { zeph } = await openRuntime({
      cwd: process.cwd(),
      // A server that does not answer is no reason for others to wait.
      servers: "later",
      ...settings,
      ...asked,
      watch: reloaded !== undefined,
      onEvent: (event) => {
        if (event.type === "warning") warn(terminal, event.message);
        if (event.type === "reload") reloaded?.(event);
      },
    });
    return await whileOpen(zeph, () => {
      for (const message of zeph.warnings) warn(terminal, message);
      signal?.serve(zeph);
      return work(zeph);
    });
  } finally {
    signal?.close();
  }
}
