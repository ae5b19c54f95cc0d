import type { Authenticator, FleetPerson } from "../../core/ports/fleet/person.ts";
import { fleetCallerId } from "../../core/ports/fleet/person.ts";
import type { TaskView } from "./door.ts";
import { streamEvents } from "./event-stream.ts";
import { refusal } from "./reply.ts";
import type { GatewayRequest, Route } from "./request.ts";
import { NO_TASK } from "./task-routes.ts";

export interface EventRoutes {
  readonly routes: readonly Route[];
  /** Ends every stream. */
  close(): Promise<void>;
}

const ROLES = ["user", "operator"] as const;
const MOST_STREAMS = 2000;
const MOST_OF_ONE = 64;

/** Streams of events, bounded in number. */
export function openEventRoutes(people: Authenticator): EventRoutes {
  const streams = new Set<() => void>();
  let isEnding = false;
  const onEnding = (stop: () => void) => {
    streams.add(stop);
    if (isEnding) stop();
    return () => void streams.delete(stop);
  };
  const open = new Map<string, number>();
  let all = 0;
  const enter = (person: FleetPerson): (() => void) | null => {
    const name = fleetCallerId(person);
    const own = open.get(name) ?? 0;
    if (all >= MOST_STREAMS || own >= MOST_OF_ONE) return null;
    all++;
    open.set(name, own + 1);
    return () => {
      all--;
      const left = open.get(name)! - 1;
      if (left === 0) open.delete(name);
      else open.set(name, left);
    };
  };
  const stream = async ({ door, person, raw, response }: GatewayRequest, session: string, followed: TaskView | null) => {
    const leave = enter(person);
    if (!leave) return refusal(429, "There are too many streams open here. Close some, or come again later.", { "retry-after": "10" });
    const isKnown = async () => {
      const now = await people.check(raw.headers.authorization);
      return now?.tenant === person.tenant && now.person === person.person && ROLES.some((role) => now.roles.includes(role));
    };
    try {
      await streamEvents({ door, session, followed, isKnown, onEnding }, raw, response);
    } finally {
      leave();
    }
    return null;
  };
  const shared = { method: "GET", roles: ROLES, isStream: true } as const;
  const ofTask: Route = {
    ...shared,
    path: "/v1/tasks/*/events",
    async answer(request) {
      const task = await request.door.task(request.words[0]!);
      return task ? stream(request, task.session, task) : NO_TASK;
    },
  };
  const ofSession: Route = { ...shared, path: "/v1/sessions/*/events", answer: (request) => stream(request, request.words[0]!, null) };
  return {
    routes: [ofTask, ofSession],
    async close() {
      isEnding = true;
      for (const stop of [...streams]) stop();
    },
  };
}
