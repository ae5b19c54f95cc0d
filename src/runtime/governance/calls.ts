import { SHORTEST_CALL_ID, SHOWN_CALL_ID } from "../../core/call-id.ts";
import { CommandError, type SlashCommand } from "../../core/command.ts";
import type { Governance } from "./governance.ts";
import { cut, one, unknown, words } from "./words.ts";

/** How else a person may name a call, where calls are shown. */
export interface Calls {
  /** The id of the call that is shown with this number. */
  numbered(n: number): string | undefined;
  /** The id of the last call that was shown as one `/approve` could let through. */
  refused(): string | undefined;
}

const NO_CALLS: Calls = { numbered: () => undefined, refused: () => undefined };

export function approve(governance: Governance, calls: Calls = NO_CALLS): SlashCommand {
  const usage = "/approve [tool|call_id]";
  return {
    name: "/approve",
    usage,
    help: "let one call through that the gate scoped refused, once; by a tool's name its only one, without anything the last one shown, or the only one",
    async run(rest) {
      const typed = rest.trim() === "" ? refusedId(governance, calls) : one(rest, usage);
      const lifted = governance.approve(refusedOf(typed, governance) ?? callId(typed, calls));
      if (!lifted) throw new CommandError(`The gate scoped refused no call ${typed} in this session. ${WHERE}`);
      const { tool, already } = lifted;
      if (already)
        throw new CommandError(
          `${tool} (${short(lifted.callId)}) was approved already, and an approval is good for one call. If that was made, approve the next refusal.`,
        );
      return { text: `${tool} may be called with exactly these arguments, once. Ask for it again.` };
    },
  };
}

/** The last one a person was shown. Where none is shown it has to be clear which is meant. */
function refusedId(governance: Governance, { refused }: Calls): string {
  const shown = refused();
  if (shown !== undefined) return short(shown);
  const open = governance.refusals();
  const [only, another] = open;
  if (only && !another) return only.callId;
  if (!only) throw new CommandError("The gate scoped has refused no call here. Type /approve <call_id>.");
  throw severalRefused(open, "calls");
}

/** The only refused call of the tool that was named; null where nothing of a tool of that name was refused. */
function refusedOf(typed: string, governance: Governance): string | null {
  const wanted = typed.toLowerCase();
  const open = governance.refusals().filter(({ tool }) => tool.toLowerCase() === wanted);
  const [only, another] = open;
  if (another) throw severalRefused(open, `calls of ${typed}`);
  return only?.callId ?? null;
}

function severalRefused(open: ReturnType<Governance["refusals"]>, what: string): CommandError {
  const rows = open.slice(0, MOST_LISTED).map(({ callId, tool, args }) => `  ${short(callId)}  ${tool} ${args}`);
  const more = open.length > MOST_LISTED ? [`  and ${open.length - MOST_LISTED} older ones`] : [];
  return new CommandError(
    [`The gate scoped refused ${open.length} ${what}. Type /approve <call_id> with one of these:`, ...rows, ...more].join("\n"),
  );
}

const MOST_LISTED = 20;

/** What each word means, before and after it was said. */
const WORDS = {
  unacceptable: "do not repeat this call or the calls that led to it",
  revoke: "do not repeat this call, whatever came before it",
  ok: "this call was fine; earlier feedback on it is removed",
} as const;
const VERDICTS = Object.keys(WORDS) as (keyof typeof WORDS)[];
const MEANINGS = VERDICTS.map((word) => `${word}: ${WORDS[word]}`).join("; ");

export function feedback(governance: Governance, calls: Calls = NO_CALLS): SlashCommand {
  const usage = "/feedback unacceptable|revoke|ok <call_id>";
  return {
    name: "/feedback",
    usage,
    help: `judge a call. ${MEANINGS}`,
    complete: (rest) => words(rest, { "": VERDICTS }),
    async run(rest) {
      const [said = "", after] = cut(rest);
      const word = VERDICTS.find((known) => known === said);
      if (!word) throw said === "" ? new CommandError(`Type ${usage}. ${MEANINGS}.`) : unknown("/feedback", said, VERDICTS, usage);
      const typed = one(after, usage);
      const judged = await governance.feedback(callId(typed, calls), word);
      if (!judged) throw new CommandError(`The sentinel does not know the call ${typed}. ${WHERE}`);
      return { text: `${judged.tool} (${short(judged.callId)}): ${FELT[word]}` };
    },
  };
}

const FELT = {
  unacceptable: `noted: ${WORDS.unacceptable}.`,
  revoke: `noted: ${WORDS.revoke}.`,
  ok: "noted as fine; earlier feedback on it is removed.",
} as const;

const WHERE = "`zeph audit tail --json` shows the ids of calls; the beginning of one is enough.";
const short = (id: string): string => id.slice(0, SHOWN_CALL_ID);

/** An id, the beginning of one, or the number a call is shown with: `4`, `[4]`. */
function callId(typed: string, { numbered }: Calls): string {
  const n = /^\[?(\d{1,5})\]?$/.exec(typed)?.[1];
  const shown = n === undefined ? undefined : numbered(Number(n));
  if (shown !== undefined) return shown;
  if (typed.length >= SHORTEST_CALL_ID) return typed;
  throw new CommandError(`No call is known as ${typed}: give at least ${SHORTEST_CALL_ID} characters of its id. ${WHERE}`);
}
