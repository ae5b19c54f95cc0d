import type { Choice } from "../../../question/answers.ts";
import { type QuestionRow, type QuestionView, viewQuestion } from "../../../question/question.ts";
import { bounded } from "../../../text/visible.ts";
import { agoTag } from "../amounts.ts";
import { formMark } from "../forms.ts";
import { type Html, html } from "../html.ts";
import type { WatchRequest } from "../watch-route.ts";
import type { LiveQuestion } from "../watch-sources.ts";
import { diffBlock } from "./diff-block.ts";

type Reader = Pick<WatchRequest, "mark" | "rights" | "now">;

/** An open question with everything a yes would allow. Nothing is left out, and no button is where another one was. */
export function questionCard(live: LiveQuestion, reader: Reader): Html {
  const { callId, question } = live;
  const view = viewQuestion(question);
  const asked = html`${live.model !== undefined && html` · ${live.model}`}${live.title !== undefined && html` · ${bounded(live.title, 120)}`}${question.caller !== undefined && html` · for ${question.caller}`} · asked ${agoTag(live.since, reader.now)}`;
  if ("tooLong" in view)
    return html`<section class="panel pad question" id="${cardId(callId)}"><h2><span class="tool">${question.tool}</span>${asked}</h2><p>${view.tooLong}</p></section>`;
  const short = view.rows.filter((row) => isArgument(row) && !isBlock(row));
  return html`<section class="panel pad question" id="${cardId(callId)}" aria-label="${view.heading}"><h2><span class="tool">${view.heading}</span>${asked}</h2>
${short.length > 0 && html`<dl>${short.map(rowLine)}</dl>`}${view.rows.filter(isBlock).map(rowBlock)}
<dl><dt>why</dt><dd>${view.why.map((reason) => html`<div>${reason}</div>`)}</dd>${view.rows.filter((row) => !isArgument(row)).map(rowLine)}<dt>where</dt><dd>${live.workspace}${live.pid === undefined && " (left for later: nobody waits for it now)"}</dd></dl>
${reader.rights.answer ? answerForms(live, view, reader) : html`<p class="soft">Answer it in the terminal, or start <code>zeph watch --answer</code>.</p>`}</section>`;
}

/** Not an attribute's value as it comes: ids of calls are other people's text. */
export const cardId = (callId: string): string => `question-${Buffer.from(callId).toString("hex")}`;

const isArgument = (row: QuestionRow): boolean => row.part === "argument" || row.part === "change";

/** What the caller wrote stands as it was written; only a short word of it stands on a line. Space at its edges counts, and has to be seen. */
const isBlock = (row: QuestionRow): boolean =>
  isArgument(row) &&
  (row.isCommand === true || row.isDiff === true || row.text.length > 120 || row.text !== row.text.trim() || row.text.includes("\n"));

const rowLine = (row: QuestionRow): Html =>
  html`<dt>${row.name}</dt><dd>${row.by === "caller" ? html`<code>${row.text}</code>` : row.text}</dd>`;

function rowBlock(row: QuestionRow): Html {
  if (row.isDiff) return diffBlock(row.text);
  const name = row.isCommand ? null : html`<div class="soft">${row.name}</div>`;
  return html`${name}<pre tabindex="0" aria-label="${row.name}">${row.text}</pre>`;
}

/** "No" has a form of its own: Enter in its line says no, never yes. */
function answerForms({ callId, pid }: LiveQuestion, view: QuestionView, reader: Reader): Html {
  const hidden = html`${formMark(reader)}<input type="hidden" name="call" value="${callId}">`;
  const yes = view.choices.filter(({ answer }) => answer !== "no");
  const no = view.choices.find(({ answer }) => answer === "no");
  return html`<div class="row"><form method="post" action="/answer" class="row">${hidden}${yes.map(choiceButton)}</form>${no !== undefined && html`<form method="post" action="/answer" class="row">${hidden}<button class="danger" name="answer" value="no">${labelOf(no)}</button><input name="reason" maxlength="500" autocomplete="off" placeholder="why not; the model reads it" aria-label="Why not; the model reads it"></form>`}${pid !== undefined && html`<span class="soft">also open where it was asked: the first answer counts</span>`}</div>`;
}

const choiceButton = (choice: Choice): Html =>
  html`<button class="${choice.answer === "once" ? "main" : ""}" name="answer" value="${choice.answer}">${labelOf(choice)}</button>`;

/** The rule of "always" stands in the card, and alone on the page that asks again. */
const labelOf = ({ answer, label }: Choice): string =>
  answer === "always" ? "Always…" : `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
