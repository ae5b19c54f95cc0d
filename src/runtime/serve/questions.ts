import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from "@modelcontextprotocol/server";
import type { Answer } from "../../core/event.ts";
import { SERVER_PREFIX } from "../../core/facets.ts";
import type { Elicitation } from "../../core/ports/elicitation.ts";
import { elicitationMessage, formSchema } from "../../question/elicitation.ts";
import type { QuestionView } from "../../question/question.ts";
import { questionDetails } from "../../question/text.ts";

type Property = ElicitRequestFormParams["requestedSchema"]["properties"][string];

/** A question about a call, as a form. */
export function questionForm(view: QuestionView): ElicitRequestFormParams {
  const answer: Property = { type: "string", title: "Allow it?", enum: view.choices.map(({ label }) => label) };
  return {
    mode: "form",
    message: `${view.isUnderWay ? `Zeph asks: ${view.heading}` : `Zeph asks before it runs ${view.tool}:`}\n${questionDetails(view)}`,
    requestedSchema: { type: "object", properties: { answer }, required: ["answer"] },
  };
}

/** Null when nobody answered. A form that was put away is not a no. */
export function formAnswer({ choices }: QuestionView, given: ElicitResult | null): Answer | null {
  if (given?.action === "decline") return "no";
  if (given?.action !== "accept") return null;
  return choices.find(({ label }) => label === given.content?.answer)?.answer ?? null;
}

/** A question of an MCP server behind Zeph, handed on to the client in front of it. */
export function forwardedQuestion(asked: Elicitation): ElicitRequestFormParams | ElicitRequestURLParams {
  const message = elicitationMessage(asked);
  if (asked.kind === "visit") return { mode: "url", message, url: asked.url, elicitationId: crypto.randomUUID() };
  return { mode: "form", message, requestedSchema: formSchema<Property>(asked) };
}

/**
 * The call on whose behalf a server asks: one to its own tools. It does not say which; the newest is most likely the one. Without any nobody is
 * asked: the question would look like another server's.
 */
export function callBehind<T extends { readonly name: string }>(server: string, calls: Iterable<T>): T | undefined {
  return [...calls].findLast(({ name }) => name.startsWith(`${SERVER_PREFIX}${server}__`));
}
