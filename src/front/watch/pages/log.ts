import { grouped } from "../../../text/words.ts";
import { momentTag, tookAmount } from "../amounts.ts";
import { formMark } from "../forms.ts";
import { type Html, html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { CALL_COLUMNS } from "../parts/call-columns.ts";
import { ROWS_OF_EXPORT } from "../parts/paging.ts";
import { createTable, exportLinks } from "../tables.ts";
import type { WatchRequest, WatchRoute } from "../watch-route.ts";
import type { CallQuery, LogCheck, LogChoices, WatchSources } from "../watch-sources.ts";

const A_PAGE = 40;
const OUTCOMES = ["ok", "failed", "denied", "unanswered"];
const FILTERS = ["tool", "outcome", "gate", "caller", "session"] as const;

/** What is looked for stands in the address: it can be kept, sent and opened again. */
export const logRoute: WatchRoute = { method: "GET", path: "/log", title: "Log", render: showLog };

async function showLog(sources: WatchSources, request: WatchRequest) {
  const { query } = request;
  const wanted = readQuery(query);
  const [page, choices] = await Promise.all([sources.log.find(wanted), sources.log.choices()]);
  const table = createTable({
    name: "calls",
    caption: "Calls, the newest first",
    columns: CALL_COLUMNS,
    rows: page.calls,
    empty:
      page.total === 0 && query.size === 0
        ? "No call was logged yet. Every call of a tool leaves a line here."
        : html`No call fits. <a href="/log">Show all</a>`,
  });
  return {
    lead: "Every call of a tool, and what was decided about it. Filters are in the address.",
    table,
    body: html`${chainBanner(sources.log.lastCheck(), request)}${filters(query, choices)}${table.html()}${pages(query, wanted.from, page.calls.length, page.total)}${exportLinks("/log", query)}`,
  };
}

function readQuery(query: URLSearchParams): CallQuery {
  const from = Number(query.get("from") ?? 0);
  const chosen = FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : []));
  const text = query.get("q")?.trim();
  return {
    ...Object.fromEntries(chosen),
    ...(text && { text }),
    // Everything that fits goes into an export; a page shows a part of it.
    ...(query.has("format")
      ? { from: 0, limit: ROWS_OF_EXPORT }
      : { from: Number.isSafeInteger(from) && from > 0 ? from : 0, limit: A_PAGE }),
  };
}

function chainBanner(check: LogCheck | null, request: WatchRequest): Html {
  const label = check === null ? "Check the chain" : "Check the chain again";
  const button = html`<form method="post" action="/verify" class="inline">${formMark(request)}<button>${label}</button></form>`;
  if (check === null)
    return html`<div class="banner"><b>Not checked yet</b><span>Each line carries a hash of the one before it: a line that was edited, removed or moved is found.</span>${button}</div>`;
  const lines = check.files.reduce((sum, file) => sum + file.lines, 0);
  const when = html`${grouped(lines)} lines in ${check.files.length === 1 ? "one file" : `${check.files.length} files`}, checked ${momentTag(check.at)} in ${tookAmount(check.ms)}`;
  if (check.intact) return html`<div class="banner good"><b>The log is intact</b><span>${when}</span>${button}</div>`;
  const problems = check.files.flatMap(({ file, problems }) =>
    problems.map((one) => html`<li><code>${file}</code> line ${one.line}: ${one.reason}</li>`),
  );
  return html`<div class="banner bad" role="alert"><b>The log was changed</b><span>${when}</span>${button}<ul>${problems.slice(0, 20)}${problems.length > 20 && html`<li>and ${problems.length - 20} more: <code>zeph audit verify</code></li>`}</ul></div>`;
}

function filters(query: URLSearchParams, { tools, gates, callers }: LogChoices): Html {
  const session = query.get("session");
  return html`<form class="filters" role="search" action="/log"><input type="search" name="q" value="${query.get("q") ?? ""}" placeholder="a word of the command, path, reason or id" aria-label="Search in the log">${choice("tool", "every tool", tools, query)}${choice("outcome", "every outcome", OUTCOMES, query)}${choice("gate", "every gate", gates, query)}${choice("caller", "every caller", callers, query)}${session ? html`<label>session <input name="session" value="${session}" size="10"></label><a href="/report/${addressPart(session)}">report</a>` : null}<button class="main">Show</button>${query.size > 0 && html`<a href="/log">all</a>`}</form>`;
}

/** What the address names stays among the choices, also where the log has none of it. */
function choice(name: string, all: string, values: readonly string[], query: URLSearchParams): Html {
  const chosen = query.get(name) ?? "";
  const known = chosen === "" || values.includes(chosen) ? values : [chosen, ...values];
  return html`<select name="${name}" aria-label="${name}"><option value="">${all}</option>${known.map((value) => html`<option value="${value}"${value === chosen && html` selected`}>${value}</option>`)}</select>`;
}

function pages(query: URLSearchParams, from: number, shown: number, total: number): Html | null {
  if (total === 0) return null;
  const link = (start: number, name: string, rel: string) => {
    const other = new URLSearchParams(query);
    other.delete("format");
    if (start > 0) other.set("from", String(start));
    else other.delete("from");
    return html`<a rel="${rel}" href="${`/log?${other}`}">${name}</a>`;
  };
  return html`<p class="pages"><span>${grouped(from + 1)} to ${grouped(from + shown)} of ${grouped(total)}</span>${from > 0 && link(Math.max(0, from - A_PAGE), "newer", "prev")}${from + shown < total && link(from + A_PAGE, "older", "next")}</p>`;
}
