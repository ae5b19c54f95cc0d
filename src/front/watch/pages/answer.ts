import { createHash } from "node:crypto";
import { type Answer, isAnswer } from "../../../core/event.ts";
import { choicesFor } from "../../../question/answers.ts";
import { oneLine } from "../../../text/visible.ts";
import { formMark } from "../forms.ts";
import { type Html, html } from "../html.ts";
import { callSummary } from "../parts/call-words.ts";
import { redactQuestion } from "../parts/redact-question.ts";
import type { WatchReply, WatchRequest, WatchRoute } from "../watch-route.ts";
import type { LiveQuestion, WatchSources } from "../watch-sources.ts";

/** An answer names its call and counts once. */
export const answerRoute: WatchRoute = { method: "POST", path: "/answer", title: "Answer", needs: "answer", render: takeAnswer };

async function takeAnswer(sources: WatchSources, request: WatchRequest): Promise<WatchReply> {
  const { form } = request;
  const callId = form.get("call") ?? "";
  const answer = form.get("answer");
  const open = (await sources.live.questions()).find((one) => one.callId === callId);
  if (!open) return tooLate("This question is not open any more.");
  if (!isAnswer(answer) || !choicesFor(open.question).some((choice) => choice.answer === answer))
    return { refused: "This is no answer to that question.", status: 400 };
  if (answer === "always" && form.get("rule") !== ruleHash(open)) return askAgain(sources, request, open);
  return give(sources, request, open, answer);
}

async function give(sources: WatchSources, { form, person }: WatchRequest, { callId }: LiveQuestion, answer: Answer): Promise<WatchReply> {
  const reason = answer === "no" ? oneLine(form.get("reason") ?? "", 500) : "";
  // First the log: an answer that nobody can find again is not given.
  const shown = oneLine(callId, 100);
  await sources.note(`${person} answers call ${shown} on the page of zeph watch: ${answer}`);
  const answered = await sources.live.answer(callId, { answer, by: person, ...(reason !== "" && { reason }) });
  if (answered.counts) return { goTo: "/" };
  await sources.note(`the answer of ${person} to call ${shown} did not count: ${oneLine(answered.why, 200)}`);
  return tooLate(answered.why);
}

const tooLate = (why: string): WatchReply => ({
  title: "Not counted",
  status: 409,
  lead: why,
  body: html`<p><a href="/">Back to what is going on</a></p>`,
});

/** A rule stays: it is shown alone and whole. The form gives back its hash, so that another one is not written in its place. */
function askAgain(sources: WatchSources, request: WatchRequest, open: LiveQuestion): WatchReply {
  const { question } = redactQuestion(open, sources.redact);
  const buttons: Html = html`<form method="post" action="/answer" class="row">${formMark(request)}<input type="hidden" name="call" value="${open.callId}"><input type="hidden" name="rule" value="${ruleHash(open)}"><button class="main" name="answer" value="always">Write this rule</button><a class="button" href="/">Back</a></form>`;
  return {
    title: "Always?",
    lead: "This rule is written into your settings. Calls that fit it are not asked about any more.",
    body: html`<div class="panel pad question"><pre tabindex="0" aria-label="The rule">${question.always_rule}</pre><dl><dt>asked by</dt><dd><code>${question.tool} ${callSummary(question.args, 2000)}</code></dd></dl>${buttons}</div>`,
  };
}

const ruleHash = ({ question }: LiveQuestion): string =>
  createHash("sha256")
    .update(question.always_rule ?? "")
    .digest("hex");
