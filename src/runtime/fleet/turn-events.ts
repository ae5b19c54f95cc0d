import type { ZephEvent } from "../../core/event.ts";
import { eventJson } from "../../core/event-json.ts";
import type { Bus } from "../../core/ports/fleet/session.ts";
import { SUBJECTS } from "../../fleet/bus/subjects.ts";
import type { TakenTask } from "../../fleet/worker-queue.ts";

/** Tells whoever listens what happens in a turn. Nothing of it is kept: what has to last is in the conversation. */
export interface TurnEvents {
  tell(event: ZephEvent): void;
  /** What was gathered is told now. */
  flush(): void;
}

/** Words of an answer are gathered for so long: each alone would be a message. */
const GATHER_MS = 50;
/** A message is 64 kB at most, and what an event says for a screen is less. */
const MOST_TEXT = 8000;
const MOST_EVENT = 48_000;

/** `redact` takes secrets out: they stay on this machine. */
export function createTurnEvents(bus: Bus | undefined, task: TakenTask, redact: (text: string) => string): TurnEvents {
  const subject = SUBJECTS.out(task.tenant, task.session);
  let n = 0;
  let words: { readonly type: "text" | "thinking"; text: string } | null = null;
  let timer: NodeJS.Timeout | null = null;
  const send = (event: object) => {
    const told = { ...clean(event, redact), task: task.id, n: ++n };
    bus?.tell(subject, JSON.stringify(told).length > MOST_EVENT ? { type: Reflect.get(event, "type"), task: task.id, n, cut: true } : told);
  };
  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (words) send(words);
    words = null;
  };
  return {
    flush,
    tell(event) {
      if (!bus) return;
      if (event.type !== "text" && event.type !== "thinking") {
        flush();
        return send(eventJson(event));
      }
      if (words && (words.type !== event.type || words.text.length > MOST_TEXT / 2)) flush();
      words ??= { type: event.type, text: "" };
      words.text += event.text;
      timer ??= setTimeout(flush, GATHER_MS);
    },
  };
}

/** Every text in it without secrets and in bounds. */
function clean(value: object, redact: (text: string) => string): object {
  const text = JSON.stringify(value, (_name, one) => (typeof one === "string" ? bound(redact(one)) : one));
  return JSON.parse(text);
}

const bound = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} […]` : text);
