import { reportHtml } from "../report/report-html.ts";
import { REPORT_STYLE } from "../report/report-style.ts";
import type { WatchRoute } from "../watch-route.ts";

/** The report as `zeph report --html` writes it, to be read, printed or saved. */
export const reportRoute: WatchRoute = {
  method: "GET",
  path: "/report/*",
  title: "Report",
  async render(sources, { words: [id = ""], signal }) {
    if (!sources.report) return { refused: "No report can be made here. Run: zeph report <session>", status: 404 };
    const made = await sources.report(id, signal);
    if ("problem" in made) return { refused: made.problem, status: 404 };
    return { document: reportHtml(made.report, made.dataHash), style: REPORT_STYLE };
  },
};
