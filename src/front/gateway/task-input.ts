import * as z from "zod";
import { makeOnce } from "../../text/make-once.ts";
import { holdsRepoSecret } from "../../text/repo-secret.ts";
import type { RequestRefusal } from "../http/guard.ts";
import type { AskedTask, SessionMessage } from "./door.ts";
import { refusal } from "./reply.ts";

const MOST_TASKS = 1000;
const MOST_TEXT = 200_000;

const text = (most: number) => z.string().min(1).max(most);
const name = () => text(200);
const repo = () =>
  z.strictObject({
    url: text(2000).refine((url) => !holdsRepoSecret(url), "holds a name or a password: workers have keys of their own"),
    ref: name().optional(),
  });

const message = makeOnce(() =>
  z.strictObject({
    text: text(MOST_TEXT),
    key: name().optional(),
    repo: repo().optional(),
    model: name().optional(),
    label: name().optional(),
    limit: name().optional(),
    limits: z
      .strictObject({
        turns: z.int().positive().optional(),
        tokens: z.int().positive().optional(),
        usd: z.number().positive().optional(),
        seconds: z.number().positive().optional(),
      })
      .optional(),
  }),
);
const task = makeOnce(() =>
  message().extend({
    session: name().optional(),
    batch: name().optional(),
    max_attempts: z.int().min(1).max(100).optional(),
    on_unknown: z.enum(["tell", "stop"]).optional(),
  }),
);

/** One task or a list of them, as they came; or why not. */
export function readTasks(body: unknown, traceparent: string | undefined): readonly AskedTask[] | RequestRefusal {
  const given = Array.isArray(body) ? body : [body];
  if (given.length === 0) return refusal(400, "There is no task in the list.");
  if (given.length > MOST_TASKS) return refusal(400, `A request may hold at most ${MOST_TASKS} tasks. Send the rest with another one.`);
  const tasks: AskedTask[] = [];
  for (const [place, one] of given.entries()) {
    const read = task().safeParse(one);
    if (!read.success) return refusal(400, `${Array.isArray(body) ? `Task ${place + 1}: ` : ""}${problem(read.error)}`);
    const { max_attempts: maxAttempts, on_unknown: onUnknown, ...rest } = read.data;
    tasks.push({ ...rest, maxAttempts, onUnknown, traceparent });
  }
  return tasks;
}

export function readSessionMessage(body: unknown, traceparent: string | undefined): SessionMessage | RequestRefusal {
  const read = message().safeParse(body);
  return read.success ? { ...read.data, traceparent } : refusal(400, problem(read.error));
}

/** The first problem, with the place of it. */
export function problem({ issues: [issue] }: z.ZodError): string {
  const place = issue?.path.join(".") ?? "";
  const words = issue?.message ?? "cannot be read";
  return place === "" ? `The body cannot be used: ${words}.` : `"${place}" cannot be used: ${words}.`;
}
