import { momentTag, tookAmount } from "../amounts.ts";
import { type Html, html } from "../html.ts";
import { type Column, tableRow } from "../tables.ts";
import type { LoggedLine } from "../watch-sources.ts";
import { callPath, callSummary, decidedBy, outcomeTag, outcomeText } from "./call-words.ts";

/** A call in a table: on the page Now, in the log, and as it comes live. */
export const CALL_COLUMNS: readonly Column<LoggedLine>[] = [
  { head: "when", key: "ts", look: "when", value: ({ entry }) => entry.ts, cell: ({ entry }) => momentTag(entry.ts) },
  { head: "tool", key: "tool", look: "mono", value: ({ entry }) => entry.tool },
  { head: "what", key: "what", look: "cmd", value: ({ entry }) => callSummary(entry.args, 4000), cell: callLink },
  {
    head: "outcome",
    key: "outcome",
    value: ({ entry }) => outcomeText(entry),
    cell: ({ entry }) => outcomeTag(entry),
  },
  {
    head: "decided by",
    key: "decided_by",
    look: "by",
    value: ({ entry }) => decidedBy(entry),
    cell: ({ entry }) => html`<span title="${entry.rule ?? ""}">${decidedBy(entry)}</span>`,
    isExtra: true,
  },
  { head: "caller", key: "caller", look: "soft", value: ({ entry }) => entry.caller_id, isExtra: true },
  {
    head: "took",
    key: "duration_ms",
    look: "num",
    value: ({ entry }) => entry.duration_ms,
    cell: ({ entry }) => tookAmount(entry.duration_ms),
    isExtra: true,
  },
  ...(["gate", "rule", "why", "call_id", "session_id", "exit_code"] as const).map(
    (key): Column<LoggedLine> => ({ head: key, key, value: ({ entry }) => entry[key], isExportOnly: true }),
  ),
  { head: "file", key: "file", value: ({ file }) => file, isExportOnly: true },
  { head: "line", key: "line", value: ({ line }) => line, isExportOnly: true },
];

/** Its whole text is on its page, and shown where the pointer rests. */
export function callLink({ entry }: LoggedLine): Html {
  const text = callSummary(entry.args) || (entry.tool ?? "");
  if (entry.call_id === undefined) return html`${text}`;
  return html`<a href="${callPath(entry.call_id)}" title="${text}">${text}</a>`;
}

/** As they end, beside other tables: the caller is on the call's own page. */
export const LIVE_COLUMNS: readonly Column<LoggedLine>[] = CALL_COLUMNS.map((one) =>
  one.key === "caller" ? { ...one, isExportOnly: true } : one,
);

export const liveRow = (line: LoggedLine): Html => tableRow(LIVE_COLUMNS, line, false);
