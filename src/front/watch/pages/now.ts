import { grouped, groupedPlural } from "../../../text/words.ts";
import { agoTag, shareAmount } from "../amounts.ts";
import { type Html, type HtmlValue, html } from "../html.ts";
import { callLink, LIVE_COLUMNS } from "../parts/call-columns.ts";
import { callSummary, decidedBy } from "../parts/call-words.ts";
import { questionCard } from "../parts/question-card.ts";
import { redactQuestion } from "../parts/redact-question.ts";
import { createTable } from "../tables.ts";
import type { WatchRequest, WatchRoute } from "../watch-route.ts";
import type { LiveRun, LoggedLine, LogTotals, WatchSources } from "../watch-sources.ts";

/** As many rows as the script of the page keeps. */
const LATEST = 14;

export const nowRoute: WatchRoute = { method: "GET", path: "/", title: "Now", render: showNow };

async function showNow(sources: WatchSources, request: WatchRequest) {
  const [questions, totals, latest, denied] = await Promise.all([
    sources.live.questions(),
    sources.log.totals(),
    sources.log.find({ from: 0, limit: LATEST }),
    sources.log.find({ outcome: "denied", from: 0, limit: 6 }),
  ]);
  const table = createTable({
    name: "calls",
    id: "live",
    caption: "Calls as they end",
    columns: LIVE_COLUMNS,
    rows: latest.calls,
    empty: "No call has ended yet. Calls of every agent of yours come here as they end.",
  });
  return {
    lead: "What is going on, what waits for you, and what was refused.",
    table,
    body: html`<div id="questions">${questions.map((one) => questionCard(redactQuestion(one, sources.redact), request))}</div>
${counts(totals)}
<div class="two"><div>${runs(sources.live.runs(), sources.redact, request.now)}<h2>Calls as they end</h2>${table.html()}</div>
<div><h2>Refused last</h2>${refusedTable(denied.calls)}<h2>Where it went</h2>${hostsTable(totals)}<h2>Gates that spoke</h2>${gatesTable(totals)}</div></div>`,
  };
}

function counts({ calls, sessions, outcomes }: LogTotals): Html {
  const { denied = 0, unanswered = 0, failed = 0 } = outcomes;
  return html`<div class="grid">${stat(grouped(calls), "", `${calls === 1 ? "call" : "calls"}, ${groupedPlural(sessions, "session")}`)}${stat(grouped(denied), shareAmount(denied, calls), html`<a href="/log?outcome=denied">refused</a>${unanswered > 0 && html`, <a href="/log?outcome=unanswered">${grouped(unanswered)} unanswered</a>`}`)}${stat(grouped(failed), shareAmount(failed, calls), html`<a href="/log?outcome=failed">failed</a>`)}</div>`;
}

const stat = (count: string, beside: string, label: HtmlValue): Html =>
  html`<div class="panel stat"><div class="n">${count} <small>${beside}</small></div><div class="l">${label}</div></div>`;

function runs(all: readonly LiveRun[], redact: (text: string) => string, now: number): Html {
  if (all.length === 0) return html`<h2>Running</h2><div class="panel"><p class="empty">No agent runs now.</p></div>`;
  const call = ({ tool, args, since }: LiveRun["calls"][number]) =>
    html`<li><code>${tool} ${redact(callSummary(args))}</code> <span class="soft">began ${agoTag(since, now)}</span></li>`;
  const run = (one: LiveRun) =>
    html`<li class="run"><b>${one.kind}</b> <span class="soft">${one.model !== undefined && `${one.model} · `}${one.workspace} · process ${one.pid} · began ${agoTag(one.since, now)}</span>${one.calls.length === 0 ? html`<div class="faint">no call under way</div>` : html`<ul>${one.calls.map(call)}</ul>`}</li>`;
  return html`<h2>Running</h2><div class="panel pad"><ul class="runs">${all.map(run)}</ul></div>`;
}

const refusedTable = (rows: readonly LoggedLine[]): Html =>
  createTable<LoggedLine>({
    name: "refused",
    caption: "Refused last",
    hidesHead: true,
    columns: [
      { head: "what", key: "what", look: "cmd", value: ({ entry }) => callSummary(entry.args), cell: callLink },
      { head: "by", key: "by", look: "by", value: ({ entry }) => decidedBy(entry) },
    ],
    rows,
    empty: "Nothing was refused yet.",
  }).html();

const hostsTable = ({ hosts }: LogTotals): Html =>
  createTable<LogTotals["hosts"][number]>({
    name: "hosts",
    caption: "Where it went",
    columns: [
      { head: "host", key: "host", look: "cmd", value: ({ host }) => host },
      { head: "sent", key: "sent", look: "num", value: ({ sent }) => sent },
      { head: "failed", key: "failed", look: "num", value: ({ failed }) => failed },
      { head: "held back", key: "held", look: "num", value: ({ held }) => held },
    ],
    rows: hosts.slice(0, 8),
    empty: "Nothing went out. Requests of tools and commands to other machines are counted here.",
  }).html();

const gatesTable = ({ gates }: LogTotals): Html =>
  createTable<LogTotals["gates"][number]>({
    name: "gates",
    caption: "Gates that spoke",
    hidesHead: true,
    columns: [
      {
        head: "gate",
        key: "gate",
        look: "cmd",
        value: ({ gate }) => gate,
        cell: ({ gate }) => html`<a href="${`/log?${new URLSearchParams({ gate })}`}">${gate}</a>`,
      },
      { head: "times", key: "times", look: "num", value: ({ times }) => times, cell: ({ times }) => `${grouped(times)} ×` },
    ],
    rows: gates.slice(0, 8),
    empty: "No gate has asked or refused yet.",
  }).html();
