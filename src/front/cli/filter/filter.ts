import { type DeskOutput, type FilterDesk, openFilterDesk } from "../../../runtime/filter/standalone-filter.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { UsageError } from "../io.ts";
import { filteredLine, jsonLine, warn } from "../run/print.ts";
import type { GlobalSettings } from "../runtime.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Capture, createCapture } from "./capture.ts";
import { explanation, outputJson, printText } from "./print.ts";
import { listRules } from "./rules.ts";
import { commandLine, runCaptured } from "./run.ts";
import { printSavings } from "./savings.ts";
import { testRules } from "./test.ts";

/** `zeph filter …` as it was typed. */
export interface FilterWords {
  /** Before `--`. */
  readonly words: readonly string[];
  /** After `--`; null when there was none. */
  readonly command: readonly string[] | null;
  readonly flags: Readonly<Record<string, unknown>>;
}

/** Returns the exit code: that of the command that was run, 0, 1 for an example that failed, 2 for wrong usage. */
export async function filter(given: FilterWords, settings: GlobalSettings, terminal: Terminal): Promise<number> {
  const task = taskOf(given);
  return whileOpen(openFilterDesk(process.cwd(), settings), (desk) => task(desk, terminal));
}

type Task = (desk: FilterDesk, terminal: Terminal) => Promise<number>;
type Form = "text" | "json" | "explained";

function taskOf({ words, command, flags }: FilterWords): Task {
  const form = flags.json ? "json" : flags.explain ? "explained" : "text";
  const [word, ...rest] = words;
  const asked = [
    command && "-- <command>",
    flags.command !== undefined && "--command",
    flags.raw !== undefined && "--raw",
    word && `"${word}"`,
  ].filter((one) => typeof one === "string");
  if (asked.length > 1) throw new UsageError(`${asked.join(" and ")} do not go together.\n${HOW}`);
  if (flags.exitCode !== undefined && flags.command === undefined)
    throw new UsageError(`--exit-code belongs to --command; a command that is run has its own.\n${HOW}`);
  if (flags.explain && (word !== undefined || flags.raw !== undefined))
    throw new UsageError(`--explain is about an output that is filtered.\n${HOW}`);
  if (command?.every((one) => one.trim() === "")) throw new UsageError(`Say what to run after --.\n${HOW}`);
  if (command) return runCommand(command, form);
  if (flags.command !== undefined) return filterStdin(String(flags.command), exitCodeOf(flags.exitCode), form);
  if (flags.raw !== undefined) return (desk, terminal) => printKept(typeof flags.raw === "string" ? flags.raw : null, form, desk, terminal);
  if (word === "test") return testRules(rest, form === "json" ? "json" : "text");
  if (word === "rules") return listRules(rest, form === "json" ? "json" : "text");
  if (word === "savings") return printSavings(rest, form === "json" ? "json" : "text");
  throw new UsageError(
    word === undefined ? `Say what to filter.\n${HOW}` : `Put -- before a command: zeph filter -- ${words.join(" ")}\n${HOW}`,
  );
}

const HOW = `Usage: zeph filter [--json|--explain] -- <command…>
       zeph filter [--json|--explain] --command "<command>" [--exit-code <n>] < output
       zeph filter --raw [id]
       zeph filter test <rules.toml> [--json]
       zeph filter rules [name] [--json]
       zeph filter savings [days] [--json]`;

const runCommand =
  (words: readonly string[], form: Form): Task =>
  async (desk, terminal) => {
    for (const message of desk.warnings) warn(terminal, message);
    const { printed, exitCode, leftRunning } = await runCaptured(words, terminal);
    if (leftRunning) warn(terminal, "something the command started still runs; what it prints from now on is not shown.");
    const output = await shortened(commandLine(words), printed, exitCode, desk);
    if (form === "json") terminal.stdout.write(outputJson(output, exitCode));
    else show(commandLine(words), output, form, terminal);
    return exitCode;
  };

const filterStdin =
  (command: string, exitCode: number, form: Form): Task =>
  async (desk, terminal) => {
    if (terminal.stdin.isTTY)
      throw new UsageError(`There is no output on stdin. Give it one: zeph filter --command "npm test" < output.txt\n${HOW}`);
    for (const message of desk.warnings) warn(terminal, message);
    const printed = createCapture();
    for await (const bytes of terminal.stdin as AsyncIterable<Buffer>) printed.add(bytes);
    const output = await shortened(command, printed, exitCode, desk);
    if (form === "json") terminal.stdout.write(outputJson(output));
    else show(command, output, form, terminal);
    return 0;
  };

/** Filters an output. Bytes that did not fit are told in the text, and not only on the terminal. */
async function shortened(command: string, printed: Capture, exitCode: number, desk: FilterDesk): Promise<DeskOutput> {
  const output = await desk.filter({ command, raw: printed.text(), exitCode });
  const missing = printed.dropped();
  if (missing === 0) return output;
  return { ...output, text: `${output.text.trimEnd()}\n[${missing} bytes in the middle of this output are missing: it was too long]` };
}

function show(command: string, output: DeskOutput, form: Form, terminal: Terminal): void {
  printText(output, terminal);
  for (const message of output.warnings) warn(terminal, message);
  const stats = form === "explained" ? explanation(command, output) : filteredLine(output);
  if (stats !== "") terminal.stderr.write(terminal.err.dim(visible(stats)));
}

async function printKept(id: string | null, form: Form, desk: FilterDesk, terminal: Terminal): Promise<number> {
  const kept = await desk.find(id ?? undefined);
  if (kept === null)
    throw new UsageError(id === null ? "Nothing is kept yet." : `Nothing is kept as ${id}. It may have expired, or never have been there.`);
  if (form === "json") terminal.stdout.write(jsonLine(kept));
  else terminal.stdout.write(terminal.stdout.isTTY ? visible(kept.text) : kept.text);
  return 0;
}

function exitCodeOf(given: unknown): number {
  if (given === undefined) return 0;
  if (!/^\d{1,3}$/.test(String(given)) || Number(given) > 255) throw new UsageError("--exit-code takes a whole number from 0 to 255.");
  return Number(given);
}
