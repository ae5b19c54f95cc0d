import { type FleetPerson, fleetCallerId } from "../../../core/ports/fleet/person.ts";
import type { Bus } from "../../../core/ports/fleet/session.ts";
import { exportLines } from "../../../fleet/audit/export.ts";
import { SUBJECTS } from "../../../fleet/bus/subjects.ts";
import { APPROVAL_WORDS, type ApprovalEnd, createFleetApprovals } from "../../../fleet/govern/approvals.ts";
import { createTaskQueue, QueueFull, type TaskFilter } from "../../../fleet/queue.ts";
import { createSessionInbox } from "../../../fleet/session/inbox.ts";
import type { FleetTask, NewTask } from "../../../fleet/task.ts";
import { type AskedTask, DoorRefusal, type GatewayDoor, type SessionMessage, type TaskView } from "../../../front/gateway/door.ts";
import { isTransient } from "../../../store/pg/error.ts";
import type { Pg } from "../../../store/pg/pg.ts";
import { isRecord } from "../../../text/json.ts";
import { createTracing } from "../../events/telemetry.ts";
import { traceSubmission } from "../../events/trace-context.ts";
import { askAgain } from "./impatient-db.ts";

export interface GatewayDoorParts {
  /** As the tenant of the person. */
  readonly db: Pg;
  readonly bus: Bus;
  readonly person: FleetPerson;
  readonly maxQueued: number;
  /** Operators of this tenant look after workers that take everybody's tasks. */
  readonly home: string;
}

const tracing = createTracing();

/** The fleet as one person sees it. */
export function createGatewayDoor({ db, bus, person, maxQueued, home }: GatewayDoorParts): GatewayDoor {
  const queue = createTaskQueue(db, { bus });
  const inbox = createSessionInbox(db, queue);
  const approvals = createFleetApprovals(db, bus);
  const isOperator = person.roles.includes("operator");
  const seesAll = isOperator && person.tenant === home;
  const workers = async () => (await queue.workers()).filter(({ tenant }) => seesAll || (isOperator && tenant === person.tenant));
  const door: GatewayDoor = {
    // All tasks of a request came with one header.
    submit: (tasks) =>
      traceSubmission(tracing, tasks[0]?.traceparent, (traceparent) =>
        queue.submit(
          tasks.map((task) => newTask({ ...task, traceparent }, person)),
          { maxQueued },
        ),
      ),
    say: (session, { key, text, limit, label, ...rest }) =>
      traceSubmission(tracing, rest.traceparent, async (traceparent) => {
        const { n } = await inbox.say(session, text, {
          ...payloadOf({ ...rest, traceparent }, person),
          maxQueued,
          ...(key !== undefined && { key }),
          ...(limit !== undefined && { limit }),
          ...(label !== undefined && { label }),
        });
        return { n };
      }),
    taskOfMessage: (session, n) => inbox.taskOf({ session, n }),
    async task(id) {
      const task = await askAgain(() => queue.get(id));
      return task && viewTask(task);
    },
    tasks: async (search) => (await askAgain(() => queue.list(withoutGaps(search) as TaskFilter))).map(viewTask),
    cancel: async (id) => (await queue.cancel({ id }, `cancelled by ${fleetCallerId(person)}`)).length > 0,
    hear: (session, listener) => bus.hear(SUBJECTS.out(person.tenant, session), (data) => listener(isRecord(data) ? data : null)),
    approvals: () => askAgain(() => approvals.open()),
    async answer(id, given) {
      const found = await approvals.find(id);
      const end = found ? await approvals.answer(found.id, { ...given, by: person.person }) : "unknown";
      if (end !== "counted") throw new DoorRefusal(ANSWER_STATUS[end], APPROVAL_WORDS[end]);
    },
    auditLines: (since) => exportLines(db, since),
    async status() {
      const { counts, oldestQueuedMs } = await askAgain(() => queue.status());
      return {
        tenant: person.tenant,
        tasks: counts,
        oldest_queued_ms: oldestQueuedMs,
        ...(isOperator && { workers: (await workers()).map(({ seenMsAgo, ...worker }) => ({ ...worker, seen_ms_ago: seenMsAgo })) }),
        ...(seesAll && {
          tenants: (await queue.depths()).map(({ oldestQueuedMs: age, ...depth }) => ({ ...depth, oldest_queued_ms: age })),
        }),
      };
    },
    async drain(name) {
      return (await workers()).some((worker) => worker.name === name) && queue.drain(name);
    },
  };
  return explained(door);
}

const newTask = ({ key, session, limit, label, batch, maxAttempts, onUnknown, text, ...rest }: AskedTask, person: FleetPerson): NewTask =>
  withoutGaps({
    key,
    session,
    limit,
    label,
    batch,
    maxAttempts,
    onUnknown,
    payload: { format: 1 as const, text, ...payloadOf(rest, person) },
  });

const ANSWER_STATUS: Readonly<Record<Exclude<ApprovalEnd, "counted">, DoorRefusal["status"]>> = {
  unknown: 404,
  own: 403,
  "other arguments": 409,
  answered: 409,
  over: 409,
};

/** Who asks is known from their token, whatever they say. */
const payloadOf = (
  { repo, model, limits, traceparent }: Pick<SessionMessage, "repo" | "model" | "limits" | "traceparent">,
  { person }: FleetPerson,
) => withoutGaps({ repo: repo && withoutGaps(repo), model, limits: limits && withoutGaps(limits), traceparent, person });

const viewTask = ({ payload, holder, ...task }: FleetTask): TaskView => ({
  id: task.id,
  key: task.key,
  session: task.session,
  batch: task.batch,
  state: task.state,
  text: payload.text,
  person: payload.person ?? null,
  attempt: task.attempt,
  worker: holder,
  cancel: task.cancel,
  result: task.result,
  createdAt: task.createdAt,
  endedAt: task.endedAt,
});

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };
const withoutGaps = <T extends object>(value: T): Defined<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Defined<T>;

/** Every way in, with the words that HTTP has for what can go wrong. */
const explained = (door: GatewayDoor): GatewayDoor => {
  const ways = Object.entries(door).map(([name, act]) => [
    name,
    (...values: readonly unknown[]) => (act as (...values: readonly unknown[]) => Promise<unknown>)(...values).catch(explain),
  ]);
  return {
    ...(Object.fromEntries(ways) as unknown as GatewayDoor),
    async *auditLines(since) {
      try {
        yield* door.auditLines(since);
      } catch (error) {
        explain(error);
      }
    },
  };
};

function explain(cause: unknown): never {
  if (cause instanceof QueueFull)
    throw new DoorRefusal(429, "Too many tasks of your tenant wait already. None of these was added.", { retryAfterS: 5, cause });
  if (isTransient(cause))
    throw new DoorRefusal(503, "The database of the fleet is away. Ask again: with the same key nothing is added twice.", {
      retryAfterS: 2,
      cause,
    });
  if (cause instanceof RangeError) throw new DoorRefusal(400, cause.message, { cause });
  throw cause;
}
