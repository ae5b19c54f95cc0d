import type { ZephEvent } from "../core/event.ts";
import { eventJson } from "../core/event-json.ts";
import { shorten } from "./shorten-value.ts";
import type { LiveCall, LiveRunLine } from "./wire.ts";

/** What a runtime is. */
export interface LiveRunFacts {
  readonly kind: string;
  readonly workspace: string;
  /** Its audit log: whoever was started by a process that has it open is refused. */
  readonly log: string;
  redact(text: string): string;
}

/** What is known of a runtime: its model, its conversation, and the calls under way. */
export interface RunRecord {
  line(): LiveRunLine;
  /** Whether the event changed what the line says, besides its calls. */
  take(event: ZephEvent): boolean;
  /** The event for other eyes. */
  shown(event: ZephEvent): Readonly<Record<string, unknown>>;
}

const MOST_CALLS = 100;
const SHOWN = { text: 4_000, all: 48_000 };

export function createRunRecord(run: number, { kind, workspace, redact }: LiveRunFacts): RunRecord {
  const since = Date.now();
  const calls = new Map<string, { readonly event: Extract<ZephEvent, { type: "tool_start" }>; readonly since: number }>();
  let turn: { readonly model: string; readonly conversation: string } | null = null;
  const short = (value: unknown) => shorten(value, { redact, most: SHOWN }).value;
  return {
    line: () => ({
      run,
      kind,
      workspace,
      since,
      ...(turn && { model: turn.model, conversation: turn.conversation }),
      calls: [...calls].map(
        ([call_id, { event, since }]): LiveCall => ({ call_id, tool: event.request.name, args: short(event.request.args), since }),
      ),
    }),
    take(event) {
      if (event.type === "tool_start" && calls.size < MOST_CALLS) calls.set(event.request.id, { event, since: Date.now() });
      if (event.type === "tool_end") calls.delete(event.request.id);
      if (event.type !== "turn_start" || (turn?.model === event.model && turn.conversation === event.conversation)) return false;
      turn = { model: event.model, conversation: event.conversation };
      return true;
    },
    shown: (event) => short(eventJson(event)) as Readonly<Record<string, unknown>>,
  };
}
