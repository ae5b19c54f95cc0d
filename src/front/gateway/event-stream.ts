import type { IncomingMessage, ServerResponse } from "node:http";
import { type GatewayDoor, isOver } from "./door.ts";
import { createEventWriter } from "./event-writer.ts";
import { taskJson } from "./task-json.ts";

export interface EventStreamParts {
  readonly door: GatewayDoor;
  readonly id: string;
  readonly session: string;
  /** Whether the person may still listen: a token can end. */
  readonly isKnown: () => Promise<boolean>;
  /** The gateway is about to end. */
  readonly signal: AbortSignal;
}

/** Hints can be lost, also the one that a task is over. */
const LOOK_MS = 5000;
const LOOKS_FOR_ONE_CHECK = 12;
const MOST_EARLY = 1000;

/** What happens in a task until it is over, as server-sent events. Resolves when the stream has ended; until it has begun it may reject. */
export async function streamTaskEvents(
  { door, id, session, isKnown, signal }: EventStreamParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const writer = createEventWriter(response);
  const closed = new Promise<void>((resolve) => void response.once("close", resolve));
  const early: object[] = [];
  let send = (event: object): void => {
    if (early.length < MOST_EARLY) early.push(event);
  };
  let look = async (): Promise<void> => {};
  const leave = await door.hear(session, (event) => {
    if (event === null) return send({ type: "gap", events: 1 });
    if (event.task !== undefined && event.task !== id) return;
    if (event.type === "end") void look();
    else send(event);
  });
  const timers: NodeJS.Timeout[] = [];
  const stop = () => writer.end();
  try {
    // After the subscription: an end in between is seen here.
    const task = await door.task(id);
    if (!task || response.destroyed) return void response.destroy();
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" });
    if (request.headers["last-event-id"] !== undefined)
      writer.comment("Events are not kept, so Last-Event-ID is not used. This is the state now.");
    writer.send({ type: "state", ...taskJson(task) });
    for (const event of early) writer.send(event);
    send = writer.send;
    if (isOver(task)) writer.end({ type: "end", ...taskJson(task) });
    look = async () => {
      const now = await door.task(id).catch(() => null);
      if (now && isOver(now)) writer.end({ type: "end", ...taskJson(now) });
    };
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
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    await closed;
  } finally {
    signal.removeEventListener("abort", stop);
    for (const timer of timers) clearInterval(timer);
    leave();
  }
}
