import type { AuditEntry } from "../../../core/ports/audit.ts";
import { oneLine } from "../../../text/visible.ts";
import { type Html, html } from "../html.ts";
import { addressPart } from "./address-part.ts";

/** Arguments that say the most about a call, the first that is there. */
const TELLING = ["command", "url", "pattern", "query", "path", "name"];

/** What a call does, on one line: its command, path or address, else its arguments. */
export function callSummary(args: unknown, most = 400): string {
  if (args === undefined || args === null) return "";
  if (typeof args !== "object") return oneLine(String(args), most);
  const fields = args as Readonly<Record<string, unknown>>;
  const telling = TELLING.map((name) => fields[name]).find((value) => typeof value === "string" && value !== "");
  return oneLine(typeof telling === "string" ? telling : Object.keys(fields).length === 0 ? "" : JSON.stringify(args), most);
}

/** How a call ended, in a word: a command that ran and left an exit code did not simply go well. */
export function outcomeText({ outcome, exit_code, waiting, kind }: AuditEntry): string {
  if (outcome === "ok" && exit_code !== undefined && exit_code !== 0) return `exit ${exit_code}`;
  if (waiting === true) return "waiting";
  return outcome ?? (kind === "intent" ? "not ended" : kind);
}

export function outcomeTag(entry: AuditEntry): Html {
  const text = outcomeText(entry);
  const look = text.startsWith("exit ") ? "exit" : text === "waiting" || text === "not ended" ? "unanswered" : text;
  return html`<span class="tag ${look}">${text}</span>`;
}

/** Who or what decided: the gate or person that refused, else by what it was let in. */
export function decidedBy(entry: AuditEntry): string {
  if (entry.outcome === "denied" || entry.outcome === "unanswered") return entry.refused_by ?? entry.gate ?? entry.approved_by ?? "";
  return entry.approved_by ?? entry.gate ?? "";
}

/** The beginning of an id, which is enough to tell two apart. */
export const shortId = (id: string | undefined): string => (id === undefined ? "" : id.slice(0, 8));

/** The address of a call's page. */
export const callPath = (callId: string): string => `/log/${addressPart(callId)}`;
