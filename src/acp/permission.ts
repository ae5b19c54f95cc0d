import { methods, type PermissionOption, type ToolCallContent } from "@agentclientprotocol/sdk";
import type { Answer, Question } from "../core/event.ts";
import type { Touch } from "../core/touch.ts";
import { type Calls, textContent } from "./calls.ts";
import { pieceOf } from "./diffs.ts";
import { bounded, fenced, plain } from "./plain.ts";
import type { Wire } from "./wire.ts";

/** Asks the person whether a call may be made. Null when nobody answered, which is not a no. It waits as long as the turn lasts. */
export async function askPermission(wire: Wire, calls: Calls, question: Question, signal: AbortSignal): Promise<Answer | null> {
  const { call_id, tool, args } = question;
  try {
    const { outcome } = await wire.client.request(
      methods.client.session.requestPermission,
      {
        sessionId: wire.sessionId,
        toolCall: await calls.asked(call_id, { name: tool, args }, whatIsAsked(question, calls.cwd)),
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
    ...(always_rule === undefined
      ? []
      : [{ optionId: "always", kind: "allow_always" as const, name: `Always: ${plain(bounded(always_rule, 300))}` }]),
    { optionId: "no", kind: "reject_once", name: "Reject" },
  ];
}

/** Only what was offered counts. */
function answerOf(id: string, question: Question): Answer | null {
  return optionsOf(question).some(({ optionId }) => optionId === id) ? (id as Answer) : null;
}

const LONGEST_ARGUMENTS = 20_000;

/** A command is there in full: a person must see all of what they allow. Everything is in blocks, so that nothing in it is laid out. */
function whatIsAsked({ tool, args, why, touches }: Question, cwd: string): ToolCallContent[] {
  const given = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  const isCommand = tool === "bash" && typeof given.command === "string";
  const what = isCommand
    ? fenced(plain(given.command as string), "sh")
    : fenced(plain(bounded(JSON.stringify(args, null, 2) ?? "", LONGEST_ARGUMENTS)), "json");
  const reaches = isCommand ? [] : touches.slice(0, MOST_TOUCHES).map((touch) => `It would ${touchText(touch)}.`);
  return [
    ...pieceOf({ name: tool, args }, cwd),
    textContent([`${plain(tool)} needs a yes.`, what, fenced(plain([...why, ...reaches].join("\n")))].join("\n")),
  ];
}

const MOST_TOUCHES = 50;

function touchText(touch: Touch): string {
  if (touch.kind === "path") return `${touch.access} ${touch.path}${touch.tree ? " and everything below" : ""}`;
  if (touch.kind === "command") return `run ${touch.text}`;
  return touch.kind === "url" ? `reach ${touch.url}` : `do what cannot be told before: ${touch.why}`;
}
