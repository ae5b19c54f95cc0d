import { mediaText } from "../../../core/media/media.ts";
import type { Message, MessagePart } from "../../../core/ports/model.ts";
import type { StoredMessage } from "../../../core/ports/store.ts";
import { grouped, plural } from "../../../text/words.ts";
import { sizeAmount } from "../amounts.ts";
import { type Html, html } from "../html.ts";
import { callPath, callSummary } from "./call-words.ts";

/** Of one text. The whole of it is in the store, and mostly as kept output, too. */
const LONGEST = 20_000;

/** Up to where a model is still sent what was said. */
export interface TranscriptWindow {
  readonly windowStart: number;
  readonly elidedUntil: number;
}

/** Messages for a person to read: what was said is open, calls and thoughts are folded. Answers stand inside their calls. */
export function transcriptHtml(messages: readonly StoredMessage[], window: TranscriptWindow): Html {
  const answers = new Map(messages.flatMap(({ message }) => (message.role === "tool" ? [[message.id, message] as const] : [])));
  const asked = new Set(
    messages.flatMap(({ message }) =>
      message.role === "assistant" ? message.parts.flatMap((part) => (part.type === "request" ? [part.id] : [])) : [],
    ),
  );
  const shown = messages.filter(({ message }) => message.role !== "tool" || !asked.has(message.id));
  const hidden = shown.filter(({ position }) => position <= window.windowStart).length;
  return html`<ol class="transcript">${shown.map(({ position, message }, at) => [
    at === 0 && hidden > 0 && html`<li class="divider">No longer shown to the model from here: a summary stands for it</li>`,
    at === hidden && hidden > 0 && html`<li class="divider">The model is shown what follows</li>`,
    html`<li id="p${position}" class="said ${message.role}${position <= window.windowStart && " past"}">${messageHtml(message, position, answers, window)}</li>`,
  ])}</ol>`;
}

type ToolMessage = Extract<Message, { role: "tool" }>;

function messageHtml(message: Message, position: number, answers: ReadonlyMap<string, ToolMessage>, window: TranscriptWindow): Html {
  const isElided = position <= window.elidedUntil;
  if (message.role === "user")
    return html`${head(message.from === undefined ? "person" : FROM[message.from], position)}${textBlock(message.text)}${(
      message.images ?? []
    ).map(
      ({ mediaType, data }) =>
        html`<p class="soft">An image (${mediaType}, ${sizeAmount(Math.floor((data.length * 3) / 4))}) is stored with it, and not shown here.</p>`,
    )}`;
  if (message.role === "tool") return html`${head("answer of a call", position)}${answerBlock(message, isElided)}`;
  return html`${head(message.model, position)}${message.parts.map((part) => partHtml(part, answers, isElided))}`;
}

const FROM = {
  background: "a background command",
  schedule: "the schedule",
  loop: "the loop",
  server: "a server, whose text was sent along",
} as const;

const head = (who: string, position: number): Html =>
  html`<p class="who"><b>${who}</b> <a class="faint" href="#p${position}">${position}</a></p>`;

function partHtml(part: MessagePart, answers: ReadonlyMap<string, ToolMessage>, isElided: boolean): Html {
  if (part.type === "text") return textBlock(part.text);
  if (part.type === "thinking")
    return html`<details class="thought"><summary>thinking, ${plural(part.text.length, "character")}</summary>${textBlock(part.text)}</details>`;
  const answer = answers.get(part.id);
  return html`<details class="call"><summary><b class="mono">${part.name}</b> <span class="mono">${callSummary(part.args, 160)}</span>${answer?.failed && html` <span class="tag failed">failed</span>`}${answer === undefined && html` <span class="tag unanswered">no answer here</span>`}</summary>
<p><a href="${callPath(part.callId)}">What was decided about this call</a></p><pre class="wrap">${cut(JSON.stringify(part.args, null, 2))}</pre>${answer !== undefined && answerBlock(answer, isElided)}</details>`;
}

const answerBlock = ({ text, failed, media = [] }: ToolMessage, isElided: boolean): Html =>
  html`<p class="soft">The model read${failed && ", as a failure"}${isElided && "; by now it is shown that there was an answer, and no longer what it said"}:</p><pre class="wrap">${cut(text)}</pre>${media.map((one) => html`<p class="soft">${mediaText(one)} is stored with it, and not shown here.</p>`)}`;

const textBlock = (text: string): Html => html`<div class="text">${cut(text)}</div>`;

const cut = (text: string): Html =>
  text.length <= LONGEST
    ? html`${text}`
    : html`${text.slice(0, LONGEST)}<span class="soft">\n… ${grouped(text.length - LONGEST)} more characters are not shown</span>`;
