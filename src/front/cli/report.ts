import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type ReportForm, writeReport } from "../../runtime/report/report-file.ts";
import { reportSession } from "../../runtime/report/report-session.ts";
import { visible } from "../../text/visible.ts";
import { withStores } from "./command.ts";
import { EXIT } from "./exit.ts";
import { UsageError } from "./io.ts";
import type { Invocation } from "./program/invocation.ts";
import { printError } from "./run/print.ts";
import { listenForStop } from "./stop.ts";
import type { Terminal } from "./terminal/terminal.ts";

/** `zeph report <session>`: exit 0, 2 for an id that is not known, 5 where the log is not what was written. The report is made all the same. */
export async function printReport({ words: [wanted, ...more], flags, settings, terminal }: Invocation): Promise<number> {
  if (wanted === undefined || wanted === "")
    throw new UsageError("Say of which session or conversation: zeph report <id>. `zeph sessions` lists the conversations.");
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many.`);
  const form = formOf(flags);
  const { signal } = listenForStop();
  return withStores(settings, terminal, async (desk) => {
    const made = await reportSession(wanted, desk, signal).catch((error) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (made === null) return EXIT.cancelled;
    if ("problem" in made) throw new UsageError(made.problem);
    deliver(writeReport(made, form), flags.out === undefined ? null : String(flags.out), terminal);
    if (made.report.log.every(({ intact }) => intact)) return EXIT.ok;
    printError(terminal, "The audit log is not what was written; the report says where. Run: zeph audit verify");
    return EXIT.failed;
  });
}

function formOf({ html, md, json }: Invocation["flags"]): ReportForm {
  if ([html, md, json].filter(Boolean).length > 1) throw new UsageError("Give one of --html, --md and --json.");
  return html ? "html" : json ? "json" : "markdown";
}

function deliver(text: string, out: string | null, { stdout, stderr }: Terminal): void {
  if (out === null) return void stdout.write(text);
  const file = resolve(out);
  try {
    // What a session did is nobody else's business, and no file is written over.
    writeFileSync(file, text, { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new UsageError(`${file} is there already. Name another file with --out, or remove it.`);
  }
  stderr.write(`Written: ${visible(file)}\n`);
}
