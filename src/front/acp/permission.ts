import { methods, type PermissionOption, type ToolCallContent } from "@agentclientprotocol/sdk";
import type { Answer, Question } from "../../core/event.ts";
import type { Touch } from "../../core/touch.ts";
import { visible } from "../../text/visible.ts";
import { type Calls, textContent } from "./calls.ts";
import { pieceOf } from "./diffs.ts";
import { fenced } from "./fenced.ts";
import type { Notes } from "./notes.ts";
import type { Wire } from "./wire.ts";

export interface PermissionParts {
  readonly wire: Wire;
  readonly calls: Calls;
  readonly notes: Pick<Notes, "tell">;
}

/** Asks the person whether a call may be made. Null when nobody answered, which is not a no. It waits as long as the turn lasts. */
export async function askPermission(
  { wire, calls, notes }: PermissionParts,
  question: Question,
  signal: AbortSignal,
): Promise<Answer | null> {
  const { call_id, tool, args } = question;
  const content = whatIsAsked(question, calls.cwd);
  // What is left out could be what matters, so a part of a question is not put.
  if (sizeOf(content) > LONGEST_QUESTION) {
    await notes.tell("warning", tooLong(tool, sizeOf(content)));
    return null;
  }
  try {
    const { outcome } = await wire.client.request(
      methods.client.session.requestPermission,
      {
        sessionId: wire.sessionId,
        toolCall: await calls.asked(call_id, { name: tool, args }, content),
        options: optionsOf(question),
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    if (signal.aborted) return null;
    const answer = outcome.outcome === "selected" ? answerOf(outcome.optionId, question) : null;
    if (answer !== null && answer !== "no") await calls.goesOn(call_id);
    return answer;
  } catch {
    // The editor cannot ask, or is gone. Nobody said no.
    return null;
  }
}

/** The one for the session comes first: a key that means "always" then allows less. */
function optionsOf({ always_rule }: Question): PermissionOption[] {
  return [
    { optionId: "once", kind: "allow_once", name: "Allow once" },
    { optionId: "session", kind: "allow_always", name: "Allow for this session" },
    // A rule that does not fit beside a button is not offered.
    ...(always_rule === undefined || always_rule.length > LONGEST_RULE
      ? []
      : [{ optionId: "always", kind: "allow_always" as const, name: `Always: ${visible(always_rule)}` }]),
    { optionId: "no", kind: "reject_once", name: "Reject" },
  ];
}

/** Only what was offered counts. */
function answerOf(id: string, question: Question): Answer | null {
  return optionsOf(question).some(({ optionId }) => optionId === id) ? (id as Answer) : null;
}

const LONGEST_RULE = 1000;
/** As long as what `zeph mcp` puts into a form. */
const LONGEST_QUESTION = 200_000;

const tooLong = (tool: string, size: number): string =>
  `${visible(tool)} needs a yes, and nobody was asked: its question has ${size} characters, and only what can be shown whole is asked about (${LONGEST_QUESTION} at most). The call was not made; ask for it in smaller pieces.`;

const sizeOf = (content: readonly ToolCallContent[]): number => content.reduce((sum, one) => sum + JSON.stringify(one).length, 0);

/** Everything is there in full: a person must see all of what they allow. Everything is in blocks, so that nothing in it is laid out. */
function whatIsAsked({ tool, args, why, touches }: Question, cwd: string): ToolCallContent[] {
  const given = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  const isCommand = tool === "bash" && typeof given.command === "string";
  const what = isCommand ? fenced(visible(given.command as string), "sh") : fenced(visible(JSON.stringify(args, null, 2) ?? ""), "json");
  const reaches = isCommand ? [] : touches.map((touch) => `It would ${touchText(touch)}.`);
  return [
    ...pieceOf({ name: tool, args }, cwd),
    textContent([`${visible(tool)} needs a yes.`, what, fenced(visible([...why, ...reaches].join("\n")))].join("\n")),
  ];
}

function touchText(touch: Touch): string {
  if (touch.kind === "path") return `${touch.access} ${touch.path}${touch.tree ? " and everything below" : ""}`;
  if (touch.kind === "command") return `run ${touch.text}`;
  return touch.kind === "url" ? `reach ${touch.url}` : `do what is not known beforehand: ${touch.why}`;
}
