import { type Desk, openDesk } from "../../runtime/create.ts";
import { didYouMean } from "../../text/nearest.ts";
import { whileOpen } from "../../text/while-open.ts";
import { UsageError } from "./io.ts";
import { warn } from "./run/print.ts";
import type { GlobalSettings } from "./runtime.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** Opens the stores a command works with, says what is odd about the configuration, and closes them whatever happens. */
export async function withStores<T>(settings: GlobalSettings, terminal: Terminal, work: (desk: Desk) => Promise<T>): Promise<T> {
  return whileOpen(openDesk(process.cwd(), settings), (desk) => {
    for (const message of desk.loaded.warnings) warn(terminal, message);
    return work(desk);
  });
}

/** The action behind the first word of a command. */
export function actionFor<T>(command: string, word: string, actions: Readonly<Record<string, T>>): T {
  if (Object.hasOwn(actions, word)) return actions[word]!;
  const known = Object.keys(actions);
  throw new UsageError(`"${word}" is not a command of ${command}.${didYouMean(word, known) || ` There are ${known.join(", ")}.`}`);
}
