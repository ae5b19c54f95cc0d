import { reportHtml } from "../../front/watch/report/report-html.ts";
import { reportMarkdown } from "../../front/watch/report/report-text.ts";
import type { SessionReport } from "../../front/watch/report/session-report.ts";
import type { MadeReport } from "../../front/watch/watch-sources.ts";
import { sha256 } from "../../store/audit/lines.ts";

export type ReportForm = "html" | "markdown" | "json";

/** Of what is `data` in the JSON form. Every form names it. */
export const reportHash = (report: SessionReport): string => sha256(JSON.stringify(report));

/** The report as the text of a file. */
export function writeReport({ report, dataHash }: MadeReport, form: ReportForm): string {
  if (form === "json") return `{"sha256":"${dataHash}","data":${JSON.stringify(report)}}\n`;
  return form === "html" ? reportHtml(report, dataHash) : reportMarkdown(report, dataHash);
}
