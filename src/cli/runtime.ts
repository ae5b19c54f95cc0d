import { createRuntime, type Zeph } from "../app.ts";
import type { Asked } from "./asked.ts";
import { warn } from "./print.ts";
import type { Terminal } from "./terminal.ts";

/** What the global options say. */
export interface Settings {
  /** Read in place of the user's file. */
  readonly config?: string;
  /** `key=value`, in the order given. */
  readonly set: readonly string[];
}

/** Opens the runtime a command works with, says what is odd about the configuration, and closes it whatever happens. */
export async function withRuntime<T>(settings: Settings, asked: Asked, terminal: Terminal, work: (zeph: Zeph) => Promise<T>): Promise<T> {
  const zeph = await createRuntime({
    cwd: process.cwd(),
    ...settings,
    ...asked,
    onEvent: (event) => {
      if (event.type === "warning") warn(terminal, event.message);
    },
  });
  try {
    for (const message of zeph.warnings) warn(terminal, message);
    return await work(zeph);
  } finally {
    await zeph.close();
  }
}
