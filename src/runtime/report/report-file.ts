import { reportHtml } from "../../front/watch/report/report-html.ts";
import { reportMarkdown } from "../../front/watch/report/report-text.ts";
import type { SessionReport } from "../../front/watch/report/session-report.ts";
import { sha256 } from "../../store/audit/lines.ts";

export type ReportForm = "html" | "markdown" | "json";

/** The report as the text of a file. Every form names the hash of the same data: what `data` is in the JSON form. */
export function writeReport(report: SessionReport, form: ReportForm): string {
  const data = JSON.stringify(report);
  const hash = sha256(data);
  if (form === "json") return `{"sha256":"${hash}","data":${data}}\n`;
  return form === "html" ? reportHtml(report, hash) : reportMarkdown(report, hash);
}
