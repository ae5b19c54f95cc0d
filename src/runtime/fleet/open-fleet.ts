import type { SaidMessage } from "../../fleet/session/inbox.ts";
import { createQueue } from "../../text/queue.ts";
import { holdsRepoSecret } from "../../text/repo-secret.ts";
import { createTracing } from "../events/telemetry.ts";
import { traceSubmission } from "../events/trace-context.ts";
import { openFleetClient } from "./fleet-client.ts";
import type { Fleet, FleetOptions, FleetTurn } from "./fleet-types.ts";

const tracing = createTracing();

/** A fleet for a program: what `openFleet` of the package returns. */
export async function connectFleet({ store, bus, tenant, person, onTrouble }: FleetOptions): Promise<Fleet> {
  const client = await openFleetClient({
    store,
    ...(bus !== undefined && { bus }),
    ...(tenant !== undefined && { tenant }),
    ...(onTrouble && { onTrouble }),
  });
  const { queue, inbox } = client;
  const asker = person === undefined ? {} : { person };
  const turnOf = (what: Promise<{ readonly task: string } | SaidMessage>, signal?: AbortSignal): FleetTurn => {
    what.catch(() => {});
    return {
      async *[Symbol.asyncIterator]() {
        yield* client.follow(await what, signal);
      },
      async result() {
        const events = client.follow(await what, signal);
        for (;;) {
          const { done, value } = await events.next();
          if (!done) continue;
          if (value === null) throw new Error("There is no such task.");
          return value;
        }
      },
    };
  };
  return {
    session(id) {
      // What is said first is heard first.
      const inTurn = createQueue();
      return {
        id,
        send: (text, { signal, ...options } = {}) =>
          turnOf(
            inTurn(async () =>
              traceSubmission(tracing, undefined, (traceparent) =>
                inbox.say(id, text, { ...asker, ...withoutSecret(options), ...(traceparent !== undefined && { traceparent }) }),
              ),
            ),
            signal,
          ),
      };
    },
    submit: (text, options = {}) =>
      traceSubmission(tracing, undefined, async (traceparent) => {
        const { repo, model, limits, ...task } = withoutSecret(options);
        const more = { ...(repo && { repo }), ...(model && { model }), ...(limits && { limits }), ...(traceparent && { traceparent }) };
        const [put] = await queue.submit([{ ...task, payload: { format: 1, text, ...asker, ...more } }]);
        return put!.id;
      }),
    task: (id) => queue.get(id),
    follow: (id) => turnOf(Promise.resolve({ task: id })),
    cancel: async (id, why = "a program cancelled it") => (await queue.cancel({ id }, why)).length > 0,
    close: client.close,
    [Symbol.asyncDispose]: client.close,
  };
}

/** What a task says is stored, and read by everybody who may see the task. */
function withoutSecret<T extends { readonly repo?: { readonly url: string } }>(options: T): T {
  if (options.repo && holdsRepoSecret(options.repo.url))
    throw new RangeError("repo.url holds a name or a password. Workers have keys of their own: leave it out.");
  return options;
}
