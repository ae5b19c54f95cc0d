import type { IncomingMessage, ServerResponse } from "node:http";
import { type GatewayDoor, isOver, type TaskView } from "./door.ts";
import { createEventWriter } from "./event-writer.ts";
import { taskJson } from "./task-json.ts";

export interface EventStreamParts {
  readonly door: GatewayDoor;
  readonly session: string;
  /** The task to follow to its end, as it was before anybody listened; null: all that happens in the session, for as long as somebody does. */
  readonly followed: TaskView | null;
  /** Whether the person may still listen: a token can end. */
  readonly isKnown: () => Promise<boolean>;
  /** Calls `stop` when the gateway is about to end. Returns what takes that back. */
  readonly onEnding: (stop: () => void) => () => void;
}

/** Hints can be lost, also the one that a task is over. */
const LOOK_MS = 5000;
const LOOKS_FOR_ONE_CHECK = 12;
const MOST_EARLY = 1000;
/** The last events may be under way when the task is over. The word of its end is told after them; where nobody tells it, so long is waited. */
const LAST_MS = 1000;

/** What happens on a worker, as server-sent events. Resolves when the stream has ended; until it has begun it may reject. */
export async function streamEvents(
  { door, session, followed, isKnown, onEnding }: EventStreamParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const id = followed?.id ?? null;
  const writer = createEventWriter(response);
  const closed = new Promise<void>((resolve) => void response.once("close", resolve));
  const early: object[] = [];
  let send = (event: object): void => {
    if (early.length < MOST_EARLY) early.push(event);
  };
  let isEndTold = false;
  let look = async (): Promise<void> => {};
  const leave = await door.hear(session, (event) => {
    if (event === null) return send({ type: "gap", events: 1 });
    if (id !== null && event.task !== undefined && event.task !== id) return;
    if (id === null || event.type !== "end") return send(event);
    isEndTold = true;
    void look();
  });
  const timers: NodeJS.Timeout[] = [];
  const stop = () => writer.end();
  const forget = onEnding(stop);
  try {
    // After the subscription: an end in between is seen here.
    const task = id === null ? null : await door.task(id);
    if ((id !== null && !task) || response.destroyed) return void response.destroy();
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" });
    if (request.headers["last-event-id"] !== undefined)
      writer.comment("Events are not kept, so Last-Event-ID is not used. This is the state now.");
    writer.send(task ? { type: "state", ...taskJson(task) } : { type: "listening", session });
    for (const event of early) writer.send(event);
    send = writer.send;
    const endWith = (now: TaskView | null) => {
      if (!now || !isOver(now)) return;
      const end = () => writer.end({ type: "end", ...taskJson(now) });
      if (isEndTold || (followed && isOver(followed))) end();
      else timers.push(setTimeout(end, LAST_MS));
    };
    endWith(task);
    if (id !== null) look = async () => endWith(await door.task(id).catch(() => null));
    if (isEndTold) void look();
    let looks = 0;
    timers.push(
      setInterval(() => {
        writer.comment("still here");
        void look();
        if (++looks % LOOKS_FOR_ONE_CHECK === 0)
          void isKnown().then(
            (known) => known || stop(),
            () => {},
          );
      }, LOOK_MS),
    );
    await closed;
  } finally {
    forget();
    for (const timer of timers) clearInterval(timer);
    leave();
  }
}
