import { setTimeout as sleep } from "node:timers/promises";
import pc from "picocolors";
import type { AuditEntry, AuditPage, AuditReader, AuditStats, Verification } from "../../core/ports/audit.ts";
import { isRecord, parseJson } from "../../text/json.ts";
import { plural } from "../../text/words.ts";
import { EXIT } from "./exit.ts";
import { readArgs, UsageError, withUsageErrors } from "./io.ts";
import { argumentSummary } from "./run/ending.ts";
import type { Colors } from "./terminal/terminal.ts";

const USAGE = `Usage: zeph audit tail [-n <lines>] [-f] [--json]
       zeph audit verify [--json]
       zeph audit stats [--json]`;
const POLL_MS = 300;
const MOST_LINES = 100_000;

export interface AuditIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly isTTY: boolean;
  readonly signal: AbortSignal;
}

interface Options {
  readonly lines: number;
  readonly follow: boolean;
  readonly json: boolean;
}

const COMMANDS: Record<string, (options: Options, io: AuditIo, audit: AuditReader) => Promise<number>> = { tail, verify, stats };

/** `zeph audit …`. Returns the exit code: 0, 2 for a wrong command or no log, 5 for a log that is not what was written. */
export async function runAudit(args: readonly string[], io: AuditIo, audit: AuditReader): Promise<number> {
  return withUsageErrors(io, () => {
    const { command, options } = parse(args);
    return command(options, io, audit);
  });
}

async function tail({ lines, follow, json }: Options, io: AuditIo, audit: AuditReader): Promise<number> {
  const show = json ? jsonLine : humanLine(pc.createColors(io.isTTY));
  const print = (page: AuditPage) => {
    for (const line of page.lines) io.stdout.write(`${show(line)}\n`);
  };
  let page = await audit.tail(lines);
  if (page.ends.size === 0 && !follow) return noLog(io);
  print(page);
  while (follow && (await pause(io.signal))) {
    page = await audit.since(page);
    print(page);
  }
  return EXIT.ok;
}

async function verify({ json }: Options, io: AuditIo, audit: AuditReader): Promise<number> {
  const found = await audit.verify();
  if (found.length === 0) return noLog(io);
  const intact = found.every((log) => log.intact);
  if (json) io.stdout.write(`${escapeJson(JSON.stringify({ intact, files: found }))}\n`);
  else for (const log of found) io.stdout.write(describe(log, pc.createColors(io.isTTY)));
  return intact ? EXIT.ok : EXIT.failed;
}

async function stats({ json }: Options, io: AuditIo, audit: AuditReader): Promise<number> {
  if ((await audit.tail(1)).ends.size === 0) return noLog(io);
  const found = await audit.stats();
  io.stdout.write(json ? `${escapeJson(JSON.stringify(found))}\n` : summary(found));
  return EXIT.ok;
}

function parse(args: readonly string[]): { readonly command: (typeof COMMANDS)[string]; readonly options: Options } {
  const { values, positionals } = readArgs(args, USAGE, 1, FLAGS);
  const [name = ""] = positionals;
  const refuse = (problem: string) => new UsageError(`${problem}\n${USAGE}`);
  if (!Object.hasOwn(COMMANDS, name))
    throw refuse(name === "" ? "Say what to do with the audit log." : `"${visible(name)}" is not an audit command.`);
  if (name !== "tail" && (values.lines !== undefined || values.follow)) throw refuse("-n and -f belong to zeph audit tail.");
  const lines = Number(values.lines ?? 10);
  if (!Number.isInteger(lines) || lines < 0 || lines > MOST_LINES) throw refuse(`-n takes a whole number up to ${MOST_LINES}.`);
  return { command: COMMANDS[name]!, options: { lines, follow: values.follow ?? false, json: values.json ?? false } };
}

const FLAGS = { lines: { type: "string", short: "n" }, follow: { type: "boolean", short: "f" }, json: { type: "boolean" } } as const;

function noLog(io: AuditIo): number {
  io.stderr.write("There is no audit log yet. It begins with the first call; audit.path says where.\n");
  return EXIT.usage;
}

/** False when it is time to stop. */
const pause = (signal: AbortSignal): Promise<boolean> => sleep(POLL_MS, true, { signal }).catch(() => false);

const humanLine = (colors: Colors) => (line: string) => {
  const entry = entryOf(line);
  if (!entry) return colors.red(`not an audit entry: ${visible(line.slice(0, 200))}`);
  if (entry.kind === "note") return `${time(entry)}  ${colors.yellow(`note: ${visible(String(entry.note))}`)}`;
  if (entry.kind === "egress") return egressLine(entry, colors);
  const outcome = entry.kind === "intent" ? "intent" : String(entry.outcome ?? entry.verdict);
  const color =
    outcome === "ok" || outcome === "allow"
      ? colors.green
      : outcome === "intent"
        ? colors.dim
        : outcome === "unanswered"
          ? colors.yellow
          : colors.red;
  const rest = [
    argumentSummary(entry.args).slice(0, LONGEST_ARGUMENTS),
    whoAnswered(entry),
    entry.gate && `gate ${entry.gate}`,
    entry.error_category,
    entry.exit_code !== undefined && `exit ${entry.exit_code}`,
    entry.duration_ms !== undefined && `${milliseconds(entry.duration_ms)}`,
  ].filter((part): part is string => typeof part === "string" && part !== "");
  const name = visible(String(entry.tool ?? "-")).padEnd(16);
  return [time(entry), name, color(visible(outcome).padEnd(10)), ...rest.map(visible)].join("  ").trimEnd();
};

/** Of arguments, which the log holds without secrets. */
const LONGEST_ARGUMENTS = 60;
const LONGEST_NAME = 40;

/** What lets calls in where nobody was asked. */
const WITHOUT_ANSWER = ["rules", "dry run"];

function whoAnswered({ approved_by, refused_by, waiting }: AuditEntry): string | undefined {
  if (approved_by !== undefined && !WITHOUT_ANSWER.includes(approved_by)) return `yes by ${String(approved_by).slice(0, LONGEST_NAME)}`;
  if (refused_by !== undefined) return `no by ${String(refused_by).slice(0, LONGEST_NAME)}`;
  return waiting ? "waits for an answer" : undefined;
}

/** Where a call went: `→ example.com 93.184.215.14  200  1256 bytes`. */
function egressLine(entry: AuditEntry, colors: Colors): string {
  if (entry.verdict !== undefined) return connectionText(entry, colors);
  const { tool, host, address, status, bytes, blocked, failed, duration_ms } = entry;
  const ended =
    blocked === undefined
      ? [
          status,
          bytes === undefined ? undefined : `${bytes} bytes`,
          failed === undefined ? undefined : colors.red(visible(`failed: ${failed}`)),
        ]
      : [colors.red(visible(`not sent: ${blocked}`))];
  const parts = [
    visible(`→ ${[host, address].filter((part) => part !== undefined).join(" ")}`),
    ...ended,
    duration_ms === undefined ? undefined : milliseconds(duration_ms),
  ];
  return [time(entry), visible(String(tool ?? "-")).padEnd(16), ...parts.filter((part) => part !== undefined)].join("  ");
}

/** Where a command's connection went: `→ example.com:443 93.184.215.14  517 bytes sent, 4096 received  87 ms`. */
function connectionText(
  { tool, host, port, address, verdict, how, why, sent = 0, received = 0, ms, ...entry }: AuditEntry,
  colors: Colors,
): string {
  const parts = [
    visible(`→ ${[`${host}:${port}`, ...(address === undefined ? [] : [address])].join(" ")}`),
    verdict === "ok"
      ? `${sent} bytes sent, ${received} received`
      : colors.red(visible(`${how === "unreachable" ? "failed" : "refused"}: ${why}`)),
    ...(ms === undefined ? [] : [milliseconds(ms)]),
  ];
  return [time(entry), visible(String(tool ?? "-")).padEnd(16), ...parts].join("  ");
}

/** The same value, with nothing in it a terminal would obey. */
function jsonLine(line: string): string {
  return escapeJson(entryOf(line) ? line : JSON.stringify({ unreadable: line }));
}

function entryOf(line: string): AuditEntry | null {
  const value = parseJson(line);
  return isRecord(value) && "kind" in value ? (value as unknown as AuditEntry) : null;
}

function describe(log: Verification, colors: Colors): string {
  const lines = plural(log.lines, "line");
  const head = log.intact ? colors.green(`intact, ${lines}`) : colors.red(`not intact, ${lines}`);
  return [
    `${visible(log.file)}: ${head}`,
    ...log.problems.map(({ reason }) => `  ${visible(reason)}`),
    ...log.torn.map((line) => `  Line ${line} was cut short when a process died. It was never acknowledged; nothing is missing.`),
    ...log.remarks.map((remark) => `  ${visible(remark)}`),
    ...(log.anchored
      ? []
      : ["  The store has no record of this log: it is not anchored, so lines cut from its end or added there are not noticed."]),
    "",
  ].join("\n");
}

function summary(found: AuditStats): string {
  const table = (title: string, counts: Readonly<Record<string, number>>) =>
    Object.keys(counts).length === 0
      ? []
      : ["", title, ...Object.entries(counts).map(([name, count]) => `  ${visible(name).padEnd(24)} ${String(count).padStart(8)}`)];
  return [
    `${plural(found.calls, "call")}${found.first ? `, ${visible(found.first)} to ${visible(found.last!)}` : ""}`,
    ...(found.duration ? [`duration: median ${milliseconds(found.duration.p50)}, 95 % within ${milliseconds(found.duration.p95)}`] : []),
    ...(found.unreadable > 0
      ? [`${plural(found.unreadable, "line is not an audit entry", "lines are not audit entries")}. Run: zeph audit verify`]
      : []),
    ...table("Tools", found.tools),
    ...table("Outcomes", found.outcomes),
    ...table("Errors", found.errors),
    ...table("Gates", found.gates),
    "",
  ].join("\n");
}

const time = (entry: AuditEntry) => visible(String(entry.ts)).slice(0, 24).padEnd(24);
const milliseconds = (ms: number) => (ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms * 10) / 10} ms`);

/** Control and direction characters would let a logged text move the cursor or hide what it says. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
const visible = (text: string) => text.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
/** Inside a JSON string an escape stands for the character itself; between strings only white space can be a control character. */
const escapeJson = (json: string) => visible(json.replace(/[\t\r\n]/g, " "));
