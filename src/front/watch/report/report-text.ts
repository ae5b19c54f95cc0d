import type { AuditEntry } from "../../../core/ports/audit.ts";
import { visible } from "../../../text/visible.ts";
import { grouped, plural } from "../../../text/words.ts";
import { callSummary, outcomeText } from "../parts/call-words.ts";
import { countCalls, personsAnswer, type ReportedChange, type SessionReport, wentTo, whoDecides } from "./session-report.ts";

/** A report as Markdown. Whatever others wrote stands in code, so that nothing of it becomes a heading, a link or a row. */
export function reportMarkdown(report: SessionReport, dataHash: string): string {
  const { about, log, lines, changes, missing, linesHash } = report;
  const calls = lines.filter(({ entry }) => entry.kind === "call");
  const asked = calls.filter(({ entry }) => personsAnswer(entry) !== null);
  const out = lines.filter(({ entry }) => entry.kind === "egress");
  const notes = lines.filter(({ entry }) => entry.kind === "note");
  const { outcomes } = countCalls(report);
  return [
    `# Report: ${about.conversation ? code(about.conversation.title) : `session ${code(about.sessions[0] ?? "")}`}`,
    "",
    ...named(about.sessions.length === 1 ? "session" : "sessions", about.sessions),
    ...named("conversation", about.conversation ? [about.conversation.id] : []),
    ...named("workspace", about.workspaces),
    ...named("caller", about.callers),
    ...named("from", [about.first]),
    ...named("until", [about.last]),
    `* made: ${about.made}, by Zeph ${about.version}`,
    "",
    `${plural(calls.length, "call")}: ${Object.entries(outcomes)
      .map(([name, count]) => `${grouped(count)} ${word(name)}`)
      .join(", ")}. ${plural(asked.length, "question")}. ${plural(changes.length, "change of a file", "changes of files")}.`,
    "",
    "## State of the log",
    "",
    ...log.flatMap(({ file, lines: count, intact, anchored, problems }) => [
      `* ${code(file)}: ${intact ? "intact" : "NOT INTACT"}, ${plural(count, "line")}, ${anchored ? "anchored in the store" : "without an anchor"}`,
      ...problems.map((problem) => `  * ${code(problem)}`),
    ]),
    ...part(
      "Questions, and who answered",
      asked,
      ({ entry, line }) =>
        `* ${clock(entry)} ${code(entry.tool ?? "")} ${code(callSummary(entry.args, WHOLE))}: ${code(personsAnswer(entry) ?? "")}${entry.reason ? `, because ${code(entry.reason)}` : ""} (line ${line})`,
    ),
    ...part("Calls", calls, ({ entry, line }) => callLine(entry, line)),
    ...part("Files changed", changes, changeText),
    ...part(
      "What went out",
      out,
      ({ entry, line }) =>
        `* ${clock(entry)} ${code(entry.tool ?? "")} ${code(wentTo(entry).to)}: ${code(wentTo(entry).how)} (line ${line})`,
    ),
    ...part("Notes of the log", notes, ({ entry, line }) => `* ${clock(entry)} ${code(String(entry.note ?? ""))} (line ${line})`),
    ...part("What is not here", missing, (one) => `* ${one}`),
    "",
    "## Hashes",
    "",
    ...log.filter(({ head }) => head !== "").map(({ file, head }) => `* last line of ${code(file)}: ${head}`),
    `* the lines below: ${linesHash}`,
    `* this report as JSON: ${dataHash}`,
    "",
    ...lines.map(({ line, hash, entry }) => `    ${hash}  ${line} ${entry.kind}`),
    "",
  ].join("\n");
}

/** The log keeps at most this much of an argument. */
const WHOLE = 2000;

const named = (name: string, values: readonly string[]) => (values.length === 0 ? [] : [`* ${name}: ${values.map(code).join(", ")}`]);

const part = <T>(title: string, list: readonly T[], text: (one: T) => string): readonly string[] => [
  "",
  `## ${title}`,
  "",
  ...(list.length === 0 ? ["None."] : list.map(text)),
];

const clock = ({ ts }: AuditEntry) => (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(ts) ? ts.slice(0, 19).replace("T", " ") : code(ts));

function callLine(entry: AuditEntry, line: number): string {
  const decided = [whoDecides(entry), personsAnswer(entry)].filter(Boolean).join("; ");
  const why = entry.why ?? entry.error;
  return `* ${clock(entry)} ${code(entry.tool ?? "")} ${code(callSummary(entry.args, WHOLE))}: ${word(outcomeText(entry))}${decided === "" ? "" : `, ${code(decided)}`}${why === undefined ? "" : `: ${code(why)}`} (line ${line})`;
}

function changeText({ callId, path, what, before, after, diff, without }: ReportedChange): string {
  const hashes = [...(before === undefined ? [] : [`before ${before}`]), ...(after === undefined ? [] : [`after ${after}`])];
  const head = `* ${code(path)}: ${what}, by call ${code(callId)}${hashes.length === 0 ? "" : `; SHA-256 ${hashes.join(", ")}`}`;
  if (diff !== undefined) return `${head}\n\n${block(diff)}\n`;
  return without === undefined ? head : `${head}\n  No diff: ${code(without)}`;
}

/** A log that somebody changed may hold anything in place of a word. */
const word = (text: string): string => (/^[a-z]+(?: -?\d+| [a-z]+)?$/.test(text) ? text : code(text));

/** One line, between more backticks than are in it. */
function code(text: string): string {
  const line = visible(String(text)).replace(/\s+/g, " ").trim();
  if (line === "") return "``";
  const fence = "`".repeat(longest(line) + 1);
  const apart = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${apart}${line}${apart}${fence}`;
}

function block(diff: string): string {
  const fence = "`".repeat(Math.max(3, longest(diff) + 1));
  return `${fence}diff\n${visible(diff).replace(/\n$/, "")}\n${fence}`;
}

const longest = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
