import type { AuditEntry } from "../../../core/ports/audit.ts";
import { grouped, plural } from "../../../text/words.ts";
import { type Html, html } from "../html.ts";
import { callSummary, outcomeText } from "../parts/call-words.ts";
import { diffBlock } from "../parts/diff-block.ts";
import { REPORT_STYLE } from "./report-style.ts";
import {
  countCalls,
  personsAnswer,
  type ReportedChange,
  type ReportedLine,
  type SessionReport,
  wentTo,
  whoDecides,
} from "./session-report.ts";

/** A report as one file that needs nothing besides: no script, nothing fetched. `dataHash` is that of the same report as JSON. */
export function reportHtml(report: SessionReport, dataHash: string): string {
  const { about } = report;
  const title = about.conversation ? about.conversation.title : `Session ${about.sessions[0]}`;
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="generator" content="zeph ${about.version}">
<meta name="referrer" content="no-referrer"><title>Report: ${title}</title><style></style></head>
<body><header><h1>${title}</h1><p class="soft">What an agent did with the tools of Zeph, who let it, and what it changed.</p>${headOf(report)}</header>
<main>${totalsOf(report)}${logPart(report)}${questionsPart(report)}${callsPart(report)}${changesPart(report)}${egressPart(report)}${notesPart(report)}
<h2>What is not here</h2><ul>${report.missing.map((one) => html`<li>${one}</li>`)}</ul>${hashesPart(report, dataHash)}</main></body></html>
`
    .toString()
    .replace(STYLE_PLACE, () => `<style>${REPORT_STYLE}</style>`);
}

/** No text of a report can be this: it would be escaped. */
const STYLE_PLACE = "<style></style>";

const row = (name: string, values: readonly string[]) =>
  values.length > 0 && html`<dt>${name}</dt><dd>${values.map((value) => html`<div>${value}</div>`)}</dd>`;

function headOf({ about }: SessionReport): Html {
  return html`<dl>${row(about.sessions.length === 1 ? "session" : "sessions", about.sessions)}${row("conversation", about.conversation ? [about.conversation.id] : [])}
${row("workspace", about.workspaces)}${row("caller", about.callers.length > 0 ? about.callers : ["the person at the keyboard"])}
${row("from", [about.first])}${row("until", [about.last])}${row("made", [`${about.made}, by Zeph ${about.version}`])}</dl>`;
}

function totalsOf(report: SessionReport): Html {
  const { calls, outcomes } = countCalls(report);
  const asked = report.lines.filter(({ entry }) => entry.kind === "call" && personsAnswer(entry) !== null).length;
  const items = [
    [calls, calls === 1 ? "call" : "calls"],
    ...Object.entries(outcomes).map(([name, count]) => [count, name] as const),
    [asked, asked === 1 ? "question" : "questions"],
    [report.changes.length, report.changes.length === 1 ? "change of a file" : "changes of files"],
  ] as const;
  return html`<ul class="totals">${items.map(([count, name]) => html`<li><b>${grouped(count)}</b> ${name}</li>`)}</ul>`;
}

function logPart({ log }: SessionReport): Html {
  const intact = log.length > 0 && log.every((file) => file.intact);
  return html`<h2>State of the log</h2><p class="${intact ? "good" : "bad"}"><b>${intact ? "Intact: nothing was edited, cut or moved." : "Not intact: this log is not what was written."}</b></p>
<table><thead><tr><th>file</th><th class="by">state</th><th class="num">lines</th></tr></thead><tbody>${log.map(
    ({ file, lines, intact: whole, anchored, problems }) =>
      html`<tr><td class="mono">${file}${problems.map((problem) => html`<div class="bad">${problem}</div>`)}</td><td>${whole ? "intact" : "not intact"}, ${anchored ? "anchored in the store" : "without an anchor"}</td><td class="num">${grouped(lines)}</td></tr>`,
  )}</tbody></table>`;
}

/** The log keeps at most this much of an argument. */
const WHOLE = 2000;

const TONES: Readonly<Record<string, string>> = { ok: "good", denied: "bad", failed: "warn", unanswered: "warn" };
const toneOf = ({ outcome, exit_code }: AuditEntry) => (outcome === "ok" && exit_code ? "warn" : (TONES[outcome ?? ""] ?? "soft"));
const clock = (ts: string) => String(ts).slice(11, 19);
const whenOf = ({ ts }: AuditEntry) => html`<time datetime="${ts}" title="${ts}">${clock(ts)}</time>`;
/** Files of one log have lines of the same number. */
const lineMark = ({ hash }: ReportedLine) => `h-${hash.slice(0, 16)}`;
const lineLink = (one: ReportedLine) => html`<a href="#${lineMark(one)}">${one.line}</a>`;
const callsOf = ({ lines }: SessionReport) => lines.filter(({ entry }) => entry.kind === "call");

function questionsPart(report: SessionReport): Html {
  const asked = callsOf(report).filter(({ entry }) => personsAnswer(entry) !== null);
  if (asked.length === 0) return html`<h2>Questions</h2><p>Nobody was asked: the rules decided every call.</p>`;
  return html`<h2>Questions, and who answered</h2><table><thead><tr><th class="time">when</th><th class="tool">tool</th><th>asked about</th><th class="by">answer</th><th class="at">line</th></tr></thead><tbody>${asked.map(
    (one) =>
      html`<tr><td>${whenOf(one.entry)}</td><td class="mono">${one.entry.tool}</td><td class="mono">${callSummary(one.entry.args, WHOLE)}<div class="soft">${whoDecides(one.entry)}</div></td><td>${personsAnswer(one.entry)}${one.entry.reason && html`<div class="soft">“${one.entry.reason}”</div>`}</td><td>${lineLink(one)}</td></tr>`,
  )}</tbody></table>`;
}

function callsPart(report: SessionReport): Html {
  const calls = callsOf(report);
  if (calls.length === 0) return html`<h2>Calls</h2><p>No call ended.</p>`;
  let day = "";
  const days = (ts: string) => {
    const next = String(ts).slice(0, 10);
    if (next === day) return null;
    day = next;
    return html`<tr><th colspan="6" scope="rowgroup">${next}</th></tr>`;
  };
  return html`<h2>Calls</h2><table><thead><tr><th class="time">when (UTC)</th><th class="tool">tool</th><th>what</th><th class="end">ended</th><th class="by">decided by</th><th class="at">line</th></tr></thead><tbody>${calls.map(
    (one) =>
      html`${days(one.entry.ts)}<tr id="c-${one.entry.call_id}"><td>${whenOf(one.entry)}</td><td class="mono">${one.entry.tool}</td><td class="mono">${callSummary(one.entry.args, WHOLE)}${(one.entry.error ?? one.entry.why) !== undefined && html`<div class="soft">${one.entry.why ?? one.entry.error}</div>`}</td><td class="${toneOf(one.entry)}">${outcomeText(one.entry)}${one.entry.rollback && html`<div class="soft">rolled back: ${one.entry.rollback}</div>`}</td><td>${whoDecides(one.entry)}${personsAnswer(one.entry) !== null && html`<div class="soft">${personsAnswer(one.entry)}</div>`}</td><td>${lineLink(one)}</td></tr>`,
  )}</tbody></table>`;
}

function changesPart({ changes }: SessionReport): Html {
  if (changes.length === 0) return html`<h2>Files changed</h2><p>No call of this session is known to have changed a file.</p>`;
  return html`<h2>Files changed</h2>${changes.map(changeBlock)}`;
}

function changeBlock({ callId, path, what, before, after, diff, without }: ReportedChange): Html {
  const hashes = [before && `before ${before}`, after && `after ${after}`].filter(Boolean).join(", ");
  return html`<section><h3>${path}</h3><div class="soft">${what === "not known" ? "what became of it is not known" : what}, by <a href="#c-${callId}">call ${callId.slice(0, 8)}</a>${hashes && html` <span class="hash mono">SHA-256 ${hashes}</span>`}</div>${without && html`<p class="soft">No diff: ${without}.</p>`}${
    diff !== undefined && diffBlock(diff, `What changed in ${path}`)
  }</section>`;
}
function egressPart({ lines }: SessionReport): Html {
  const out = lines.filter(({ entry }) => entry.kind === "egress");
  if (out.length === 0) return html`<h2>What went out</h2><p>Nothing went out, and nothing was held back.</p>`;
  return html`<h2>What went out</h2><table><thead><tr><th class="time">when</th><th class="tool">tool</th><th>where to</th><th class="by">how it went</th><th class="at">line</th></tr></thead><tbody>${out.map(
    (one) =>
      html`<tr><td>${whenOf(one.entry)}</td><td class="mono">${one.entry.tool}</td><td class="mono">${wentTo(one.entry).to}</td><td>${wentTo(one.entry).how}</td><td>${lineLink(one)}</td></tr>`,
  )}</tbody></table>`;
}

function notesPart({ lines }: SessionReport): Html | false {
  const notes = lines.filter(({ entry }) => entry.kind === "note");
  return (
    notes.length > 0 &&
    html`<h2>Notes of the log</h2><table><tbody>${notes.map((one) => html`<tr><td class="time">${whenOf(one.entry)}</td><td>${one.entry.note}</td><td class="at">${lineLink(one)}</td></tr>`)}</tbody></table>`
  );
}

function hashesPart({ log, lines, linesHash }: SessionReport, dataHash: string): Html {
  return html`<h2>Hashes</h2><p>Each line of the log carries the SHA-256 of the line before it. <code>zeph audit verify</code> checks them all. The hash of a line is that of its bytes in the file, without the line break.</p>
<dl>${log.map(({ file, head }) => head !== "" && html`<dt>last line of ${file.slice(file.lastIndexOf("/") + 1)}</dt><dd class="mono hash">${head}</dd>`)}<dt>the lines below</dt><dd class="mono hash">${linesHash}</dd><dt>this report as JSON</dt><dd class="mono hash">${dataHash}</dd></dl>
<table><thead><tr><th class="at">line</th><th class="tool">kind</th><th class="hash">hash</th></tr></thead><tbody>${lines.map((one) => html`<tr id="${lineMark(one)}"><td>${one.line}</td><td>${one.entry.kind}</td><td class="mono hash">${one.hash}</td></tr>`)}</tbody></table>
<p class="soft">${plural(lines.length, "line")} in all.</p>`;
}
