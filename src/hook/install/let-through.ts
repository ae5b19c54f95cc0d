import { existsSync, renameSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { LET_THROUGH_FILE } from "./mark.ts";

const MOST_BYTES = 1024 * 1024;

/**
 * Calls that a hook with --on-failure allow let run while nobody answered: its command line leaves a line with the time and the client in a file, because
 * there was nobody to tell. Takes the file away and says what stood in it, a sentence for each client.
 */
export function takeLetThrough(env: Readonly<Record<string, string | undefined>>, home: string): readonly string[] {
  const state = env.XDG_STATE_HOME;
  const file = join(state && isAbsolute(state) ? state : join(home, ".local", "state"), "zeph", LET_THROUGH_FILE);
  if (!existsSync(file)) return [];
  return attempt(() => {
    const taken = `${file}.${process.pid}`;
    renameSync(file, taken);
    const text = attempt(() => readOwnText(taken, { maxBytes: MOST_BYTES }), null);
    rmSync(taken, { force: true });
    return text === null ? ["Calls were let through without an answer (--on-failure allow); how many is not known."] : notesOn(text);
  }, []);
}

const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (\w+)$/;

function notesOn(text: string): readonly string[] {
  const times = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [, time, client] = LINE.exec(line) ?? [];
    if (time !== undefined && client !== undefined) times.set(client, [...(times.get(client) ?? []), time]);
  }
  return [...times].map(([client, all]) => {
    const many = all.length === 1 ? `A call of ${client} was` : `${all.length} calls of ${client} were`;
    return `${many} let through because nobody answered (--on-failure allow): ${[...new Set([all[0], all.at(-1)])].join(" to ")}.`;
  });
}
