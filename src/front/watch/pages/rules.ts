import { abortAfter } from "../../../text/abort.ts";
import { grouped, groupedPlural } from "../../../text/words.ts";
import { tookAmount } from "../amounts.ts";
import { formMark } from "../forms.ts";
import { type Html, html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { callPath, callSummary } from "../parts/call-words.ts";
import { type Column, createTable, exportLinks } from "../tables.ts";
import type { WatchPage, WatchRequest, WatchRoute } from "../watch-route.ts";
import type { RulesSource, TriedCall, TriedRules, WatchSources } from "../watch-sources.ts";

/** More than anybody types. */
const MOST_TOML = 64 * 1024;
/** A log of some hundred thousand calls takes longer; what was judged until then is told. */
const LONGEST_MS = 60_000;
const MOST_ROWS = 500;

type Gate = Awaited<ReturnType<RulesSource["gates"]>>[number];

export const rulesRoute: WatchRoute = {
  method: "GET",
  path: "/rules",
  title: "Rules",
  async render(sources, request) {
    const gates = gatesTable(await sources.rules.gates());
    return {
      lead: LEAD,
      table: gates,
      body: html`<div class="two">${tryForm(request, EXAMPLE, null)}${gatesPart(gates.html(), request)}</div>`,
    };
  },
};

/** It changes nothing; it is a form because a rule may be longer than an address. */
export const tryRulesRoute: WatchRoute = {
  method: "POST",
  path: "/rules",
  title: "Rules",
  async render(sources, request) {
    const toml = (request.form.get("toml") ?? "").replaceAll("\r\n", "\n");
    const gates = gatesPart(gatesTable(await sources.rules.gates()).html(), request);
    const answer = await tried(sources, toml, request.signal);
    const page = (result: Html, problem: string | null, status: number): WatchPage => ({
      lead: LEAD,
      status,
      body: html`${result}<div class="two">${tryForm(request, toml, problem)}${gates}</div>`,
    });
    if ("problem" in answer) return page(html``, answer.problem, 422);
    return page(resultPart(answer, toml), null, 200);
  },
};

const LEAD = "Which gates judge a call, and what other rules would have decided about the calls of the log.";
const EXAMPLE = `[[tools.policy.rules]]
effect = "deny"
tool = "bash"
args_match = "git push"
`;

async function tried(
  { rules }: WatchSources,
  toml: string,
  gone: AbortSignal,
): Promise<(TriedRules & { readonly stopped: boolean }) | { readonly problem: string }> {
  if (toml.trim() === "") return { problem: "There is nothing to try. Type a rule as it would stand in config.toml." };
  if (toml.length > MOST_TOML)
    return { problem: `This is too long: ${grouped(toml.length)} characters, and at most ${grouped(MOST_TOML)} are tried.` };
  const late = abortAfter(LONGEST_MS);
  const answer = await rules.tryRules(toml, AbortSignal.any([gone, late]));
  return "problem" in answer ? answer : { ...answer, stopped: late.aborted };
}

function tryForm(request: WatchRequest, toml: string, problem: string | null): Html {
  return html`<section><h2>Try other rules</h2><form method="post" action="/rules" class="try">${formMark(request)}
<label for="toml" class="soft">Rules as they would stand in <code>config.toml</code>, added to those of now</label>
<textarea id="toml" name="toml" rows="12" spellcheck="false" autocomplete="off"${problem !== null && html` aria-invalid="true" aria-describedby="problem"`}>
${toml}</textarea>
${problem !== null && problemPart(problem, toml)}
<p class="row"><button class="main">Try on the log</button><span class="soft">Nothing is run, and no rule is written.</span></p></form></section>`;
}

/** What is wrong, each with the line it is about: `2:1: …` or `line 2: …`. */
function problemPart(problem: string, toml: string): Html {
  const lines = toml.split("\n");
  const problems = problem.split("\n").filter((one) => one.trim() !== "");
  return html`<div class="banner bad" id="problem" role="alert"><b>Not tried.</b><ul>${problems.slice(0, MOST_PROBLEMS).map((one) => {
    const [, at, words = ""] = /^(?:line )?(\d{1,6})(?::\d+)?: (.*)$/i.exec(one) ?? [];
    const text = at === undefined ? undefined : lines[Number(at) - 1];
    return text === undefined ? html`<li>${one}</li>` : html`<li>Line ${at}: ${words}<pre>${text}</pre></li>`;
  })}</ul></div>`;
}
const MOST_PROBLEMS = 20;

function resultPart(answer: TriedRules & { readonly stopped: boolean }, toml: string): Html {
  const { calls, same, notComparable, changed, ms, stopped } = answer;
  const times = changed.reduce((sum, one) => sum + one.times, 0);
  const left = Object.entries(notComparable).sort(([, a], [, b]) => b - a);
  const uncompared = left.reduce((sum, [, count]) => sum + count, 0);
  const shown = changed.slice(0, MOST_ROWS);
  return html`<section aria-labelledby="result"><div class="banner ${times === 0 ? "good" : "warn"}" role="status"><b id="result">${
    times === 0 ? "These rules would have changed nothing" : `${groupedPlural(times, "call")} would have been decided otherwise`
  }</b><span>${groupedPlural(calls, "call")} judged in ${tookAmount(ms)}: ${grouped(same)} the same, ${grouped(uncompared)} not comparable${stopped && html`; <b>stopped after ${LONGEST_MS / 1000} s, so not all of them</b>`}</span></div>
${
  changed.length > 0 &&
  html`<h2>What differs, equal calls together</h2>${createTable({ name: "tried", caption: "Calls that would have been decided otherwise", columns: TRIED, rows: shown, empty: "" }).html()}${
    changed.length > shown.length && html`<p class="soft">${groupedPlural(changed.length - shown.length, "more row")} left out.</p>`
  }`
}
${left.length > 0 && html`<details class="fold"><summary>${groupedPlural(uncompared, "call")} not comparable, and why</summary><ul>${left.map(([why, count]) => html`<li>${grouped(count)}: ${why}</li>`)}</ul></details>`}
<details class="fold"${times > 0 && html` open`}><summary>The rules to copy</summary><p class="soft">To have them, put them into your <code>config.toml</code>: <code>zeph config path</code> says where it lies. Nothing was written.</p><pre tabindex="0" aria-label="The rules to copy">${toml}</pre></details></section>`;
}

const verdictTag = (verdict: string): Html => html`<span class="tag ${VERDICTS.includes(verdict) ? verdict : ""}">${verdict}</span>`;
const VERDICTS = ["allow", "ask", "deny"];

const TRIED: readonly Column<TriedCall>[] = [
  { head: "times", key: "times", value: ({ times }) => times, cell: ({ times }) => grouped(times), look: "num" },
  { head: "tool", key: "tool", value: ({ tool }) => tool, look: "mono" },
  {
    head: "what",
    key: "what",
    value: ({ args }) => callSummary(args),
    cell: ({ args, callId }) => html`<a href="${callPath(callId)}" title="${callSummary(args)}">${callSummary(args) || callId}</a>`,
    look: "cmd",
  },
  { head: "was", key: "was", value: ({ was }) => was, cell: ({ was }) => verdictTag(was) },
  { head: "would be", key: "would", value: ({ would }) => would, cell: ({ would }) => verdictTag(would) },
  { head: "by", key: "by", value: ({ gate, rule }) => [gate, rule].filter(Boolean).join(", "), look: "by", isExtra: true },
];

const gatesTable = (gates: readonly Gate[]) =>
  createTable<Gate & { readonly place: number }>({
    name: "gates",
    caption: "Gates, in the order they are asked",
    columns: [
      { head: "", key: "place", value: ({ place }) => place, look: "num" },
      {
        head: "gate",
        key: "gate",
        value: ({ gate }) => gate,
        cell: ({ gate }) => html`<a href="/log?gate=${addressPart(gate)}">${gate}</a>`,
      },
      {
        head: "state",
        key: "state",
        value: ({ state }) => state,
        cell: ({ state }) => html`<span class="${state === "off" && "faint"}">${state}</span>`,
      },
      { head: "asked", key: "asked", value: ({ asked }) => asked, cell: ({ asked }) => grouped(asked), look: "num" },
      { head: "denied", key: "denied", value: ({ denied }) => denied, cell: ({ denied }) => grouped(denied), look: "num" },
    ],
    rows: gates.map((gate, at) => ({ ...gate, place: at + 1 })),
    empty: "No gate is known here.",
  });

const gatesPart = (table: Html, { query }: WatchRequest): Html =>
  html`<section><h2>Gates, in the order they are asked</h2>${table}<p class="soft">The strictest word counts. Asked and denied are counts of the log.</p>${exportLinks("/rules", query)}</section>`;
