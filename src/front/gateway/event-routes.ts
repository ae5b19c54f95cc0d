import type { Authenticator, FleetPerson } from "../../core/ports/fleet/person.ts";
import { fleetCallerId } from "../../core/ports/fleet/person.ts";
import { streamTaskEvents } from "./event-stream.ts";
import { refusal } from "./reply.ts";
import type { Route } from "./request.ts";
import { NO_TASK } from "./task-routes.ts";

export interface EventRoutes {
  readonly routes: readonly Route[];
  /** Ends every stream. */
  close(): Promise<void>;
}

const MOST_STREAMS = 2000;
const MOST_OF_ONE = 64;

/** Streams of events, bounded in number. */
export function createEventRoutes(people: Authenticator): EventRoutes {
  const ending = new AbortController();
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
  const events: Route = {
    method: "GET",
    path: "/v1/tasks/*/events",
    roles: ["user", "operator"],
    isStream: true,
    async answer({ door, person, raw, response, words: [id = ""] }) {
      const task = await door.task(id);
      if (!task) return NO_TASK;
      const leave = enter(person);
      if (!leave) return refusal(429, "There are too many streams open here. Close some, or come again later.", { "retry-after": "10" });
      const isKnown = async () => {
        const now = await people.check(raw.headers.authorization);
        return now?.tenant === person.tenant && now.person === person.person;
      };
      try {
        await streamTaskEvents({ door, id: task.id, session: task.session, isKnown, signal: ending.signal }, raw, response);
      } finally {
        leave();
      }
      return null;
    },
  };
  return {
    routes: [events],
    async close() {
      ending.abort();
    },
  };
}
