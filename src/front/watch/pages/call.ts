import type { AuditEntry } from "../../../core/ports/audit.ts";
import type { KeptText } from "../../../core/ports/printed/overflow.ts";
import { momentTag, momentText, shortAmount, tookAmount } from "../amounts.ts";
import { type Html, type HtmlValue, html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { callPath, callSummary, outcomeTag, outcomeText, shortId } from "../parts/call-words.ts";
import { gateList, verdictThen } from "../parts/gate-words.ts";
import { objectionsOf } from "../parts/objections.ts";
import { createTable } from "../tables.ts";
import type { WatchReply, WatchRequest, WatchRoute } from "../watch-route.ts";
import type { JudgedNow, LoggedCall, LoggedLine, WatchSources } from "../watch-sources.ts";

/** One call: what was decided then, what the rules of now say, and what stands in the log. */
export const callRoute: WatchRoute = { method: "GET", path: "/log/*", title: "Call", render: showCall };

async function showCall(sources: WatchSources, { words }: WatchRequest): Promise<WatchReply> {
  const found = await sources.log.call(words[0]!);
  if (!found) return { refused: "There is no such call in the log.", status: 404 };
  const { entry } = found.main;
  const judged = await sources.log.judge(entry);
  return {
    title: `${entry.tool ?? "call"} ${outcomeText(entry)}`,
    lead: html`Call ${shortId(entry.call_id)}${entry.session_id !== undefined && html` of <a href="${`/log?${new URLSearchParams({ session: entry.session_id })}`}">session ${shortId(entry.session_id)}</a>`}, ${momentText(entry.ts)}`,
    body: html`<div class="two"><div><div class="panel bare"><pre class="wrap command" tabindex="0" aria-label="The call">${wholeCall(entry)}</pre></div>
<h2>What was decided</h2><div class="panel pad">${decision(found)}</div>
<h2>What the model read</h2><div class="panel pad">${modelRead(found)}</div>
<h2>Gate by gate, judged now</h2>${gates(judged, entry)}</div>
<div><h2>Before and after it</h2>${around(found)}<h2>In the log</h2>${rawLines(found.lines)}</div></div>`,
  };
}

/** An earlier answer, and how long it holds. */
const GRANTS = {
  session: "given before, for this session",
  edits: "given before, for all edits of this session",
  always: "given before, for good",
  client: "left to the MCP client, which asks about each call",
};

/** A command or path alone; else every argument. */
function wholeCall({ args }: AuditEntry): string {
  const fields = Object.values(typeof args === "object" && args !== null ? args : {});
  const [only] = fields;
  return fields.length === 1 && typeof only === "string" ? only : args === undefined ? "(no arguments)" : JSON.stringify(args, null, 2);
}

function decision({ main: { entry }, lines }: LoggedCall): Html {
  const objections = objectionsOf(entry);
  const egress = lines.filter((line) => line.entry.kind === "egress");
  const rows: readonly (readonly [string, HtmlValue])[] = [
    ["outcome", html`${outcomeTag(entry)} ${entry.duration_ms !== undefined && `in ${tookAmount(entry.duration_ms)}`}`],
    ["allowed by", entry.approved_by],
    ["by an answer", entry.grant !== undefined && (Object.hasOwn(GRANTS, entry.grant) ? GRANTS[entry.grant] : entry.grant)],
    ["refused by", entry.refused_by],
    ["reason", entry.reason],
    [
      "objections",
      objections.length > 0 &&
        objections.map(
          (one) =>
            html`<div><span class="tag ${one.kind}">${one.kind}</span> ${one.gate}${one.rule !== undefined && !one.why?.includes(one.rule) && html`, rule <code>${one.rule}</code>`}${one.why !== undefined && html`: ${one.why}`}</div>`,
        ),
    ],
    ["waiting", entry.waiting === true && "the question is open: its answer comes later"],
    ["walls", wallsWords(entry)],
    ["without walls", entry.without_walls],
    [
      "trust",
      `${entry.trust ?? ""}${entry.caller_id === undefined ? "" : `${entry.trust === undefined ? "" : ", "}for ${entry.caller_id}`}`,
    ],
    ["where", entry.cwd],
    ["suspect", entry.suspect],
    ["rolled back", entry.rollback],
    ["hint", entry.hint],
    ["went out", egress.length > 0 && egress.map(({ entry: one }) => html`<div>${one.host ?? one.url ?? ""} ${egressTag(one)}</div>`)],
  ];
  return html`<dl>${rows.filter(([, value]) => value !== undefined && value !== false && value !== "").map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

function egressTag(entry: AuditEntry): Html {
  if (entry.blocked !== undefined || entry.how === "closed") return html`<span class="tag deny">held back</span> ${entry.blocked ?? ""}`;
  if (entry.failed !== undefined || entry.how === "unreachable") return html`<span class="tag failed">failed</span> ${entry.failed ?? ""}`;
  return html`<span class="tag ok">sent</span> ${entry.status ?? ""}`;
}

/** A call that was not let in met no walls. */
function wallsWords({ outcome, sandbox }: AuditEntry): string | undefined {
  return outcome === "denied" || outcome === "unanswered" ? "not run" : sandbox;
}

function modelRead({ main: { entry }, kept }: LoggedCall): Html {
  const shown = html`${entry.error !== undefined ? html`<p class="plain">${entry.error}</p>` : html`<p class="plain">Its output${entry.filter !== undefined && html`, shortened by the rule <code>${entry.filter}</code>`}${entry.truncated === true && ", cut"}. The log keeps no outputs.</p>`}`;
  return html`${shown}${kept.length > 0 && html`<p class="plain">Kept whole: ${kept.map((one, n) => html`${n > 0 && ", "}${keptLink(one)}`)}</p>`}`;
}

const keptLink = ({ id, handle, chars }: KeptText): Html =>
  html`<a href="/kept/${addressPart(id)}">${handle === null ? shortId(id) : `raw#${handle}`}</a> (${shortAmount(chars)} characters)`;

function gates(judged: JudgedNow | { readonly problem: string }, entry: AuditEntry): Html {
  if ("problem" in judged) return html`<div class="panel"><p class="empty">It cannot be judged now: ${judged.problem}</p></div>`;
  const then = verdictThen(entry);
  const differs = then !== null && then !== judged.verdict;
  return html`${differs && html`<div class="banner warn"><b>Now it is another decision</b><span>Then: <span class="tag ${then}">${then}</span>, now: <span class="tag ${judged.verdict}">${judged.verdict}</span>. Rules, grants or files have changed since.</span></div>`}<div class="panel pad">${gateList(judged, entry)}</div>`;
}

const around = ({ around, main }: LoggedCall): Html =>
  createTable<LoggedLine>({
    name: "around",
    caption: "Calls of the same session around it",
    hidesHead: true,
    columns: [
      { head: "when", key: "ts", look: "when", value: ({ entry }) => entry.ts, cell: ({ entry }) => momentTag(entry.ts), isExtra: true },
      { head: "call", key: "call", look: "cmd", value: ({ entry }) => `${entry.tool} ${callSummary(entry.args)}`, cell: aroundLink },
      { head: "outcome", key: "outcome", value: ({ entry }) => outcomeText(entry), cell: ({ entry }) => outcomeTag(entry) },
    ],
    rows: around,
    isOn: ({ entry }) => entry.call_id === main.entry.call_id,
    empty: "It was the only call of its session.",
  }).html();

function aroundLink({ entry }: LoggedLine): Html {
  const text = `${entry.tool ?? ""} ${callSummary(entry.args)}`;
  return entry.call_id === undefined ? html`${text}` : html`<a href="${callPath(entry.call_id)}" title="${text}">${text}</a>`;
}

const rawLines = (lines: readonly LoggedLine[]): Html =>
  html`<div class="panel">${lines.map(({ file, line, entry }, n) => html`<details${n === lines.length - 1 && html` open`}><summary>line ${line}, ${entry.kind} <span class="faint">${file.split(/[\\/]/).at(-1) ?? ""}</span></summary><pre tabindex="0" aria-label="${`Line ${line}`}">${JSON.stringify(entry, null, 1)}</pre></details>`)}</div>`;
