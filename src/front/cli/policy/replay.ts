import { statSync } from "node:fs";
import { resolve } from "node:path";
import { replayLog } from "../../../runtime/replay/log.ts";
import type { Replayed, ReplayTotals } from "../../../runtime/replay/replay.ts";
import { attempt } from "../../../text/attempt.ts";
import { plural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { wholeNumber } from "../number-option.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine, warn } from "../run/print.ts";
import { listenForStop } from "../stop.ts";
import { createSpinner } from "../terminal/spinner.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { headText, NOT_HEARD, replayTotalsText, rowText } from "./replay-text.ts";

const USUAL = 200;
const MOST = 1_000_000;

/** Past calls under other rules: which of them would be decided otherwise. Exit 0 when none would, 5 when some would. */
export async function policyReplay({ words, flags, settings, terminal }: Invocation): Promise<number> {
  if (words.length > 0)
    throw new UsageError(`"${words[0]}" is too much. Name the log with --audit <file> and the rules with --config <file>.`);
  const audit = flags.audit === undefined ? undefined : logAt(String(flags.audit));
  const limit = wholeNumber("--limit", flags.limit ?? USUAL, { least: 0, most: MOST });
  const { signal } = listenForStop();
  const rows: Replayed[] = [];
  let count = 0;
  const spinner = createSpinner(terminal);
  const began = performance.now();
  let lastShown = began;
  spinner.show("replaying", began);
  try {
    const found = await replayLog({
      cwd: process.cwd(),
      set: settings.set,
      // Every folder is judged by this very file.
      ...(settings.config !== undefined && { config: resolve(settings.config) }),
      ...(audit !== undefined && { audit }),
      signal,
      isFolder,
      warn(message) {
        spinner.hide();
        warn(terminal, message);
        spinner.show();
      },
      async each(call) {
        if (!call.flips && !flags.all) return;
        count += 1;
        if (count > limit) return;
        if (flags.json) return void rows.push(call);
        // Printed as it is found: a log may be long.
        spinner.hide();
        await printRow(call, count, terminal);
        spinner.show();
      },
      progress(calls) {
        if (performance.now() - lastShown < EVERY_MS) return;
        lastShown = performance.now();
        spinner.show(`replaying, ${plural(calls, "call")}`, began);
      },
    });
    spinner.hide();
    if (found === null) throw new UsageError("There is no audit log yet. It begins with the first call; --audit <file> names another one.");
    const { files, notComparable, ...totals } = found;
    if (isNoLog(found, flags.audit)) throw new UsageError(noLog(flags.audit === undefined ? files.join(", ") : `--audit ${flags.audit}`));
    const leftOut = Math.max(0, count - limit);
    const told = { files, ...totals, not_comparable: notComparable, not_heard: NOT_HEARD, rows, rows_left_out: leftOut };
    terminal.stdout.write(flags.json ? jsonLine(told) : replayTotalsText(found, leftOut, terminal));
    if (totals.stopped) return EXIT.cancelled;
    return totals.flipped > 0 ? EXIT.failed : EXIT.ok;
  } finally {
    spinner.hide();
  }
}

const EVERY_MS = 2000;

/** A log of one's own may be empty; a file that was named is meant to hold something. */
const isNoLog = ({ entries, unreadable, stopped }: ReplayTotals, audit: unknown): boolean =>
  entries === 0 && !stopped && (unreadable > 0 || audit !== undefined);

const noLog = (what: string): string =>
  `${what}: no line of it is an audit entry. A log has one JSON object in each line, as in the file that \`zeph policy\` names.`;

/** Prints a row, and waits for a reader that is slow. */
async function printRow(call: Replayed, n: number, terminal: Terminal): Promise<void> {
  const text = `${n === 1 ? headText(terminal) : ""}${rowText(call, terminal)}`;
  if (!terminal.stdout.write(text)) await drained(terminal.stdout);
}

const drained = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off("drain", done).off("close", done).off("error", done);
      resolve();
    };
    stream.on("drain", done).on("close", done).on("error", done);
  });

function logAt(given: string): string {
  const file = resolve(given);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`--audit ${given}: there is no such file.`);
  // A pipe may never end, and a device never does.
  if (!found.isFile()) throw new UsageError(`--audit ${given}: it is not a file. Write what comes from elsewhere into one first.`);
  return file;
}

const isFolder = (path: string): boolean => attempt(() => statSync(path).isDirectory(), false);
