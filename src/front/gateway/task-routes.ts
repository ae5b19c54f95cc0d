import type { RequestRefusal } from "../http/guard.ts";
import { isOver } from "./door.ts";
import { type GatewayReply, refusal } from "./reply.ts";
import { type GatewayRequest, type Route, readRequestJson, traceOf } from "./request.ts";
import { readSessionMessage, readTasks } from "./task-input.ts";
import { submittedJson, taskJson } from "./task-json.ts";

const MOST_LISTED = 1000;
const USUALLY_LISTED = 100;
const STATES = ["queued", "running", "done", "failed", "unknown", "cancelled"];

export const NO_TASK = refusal(404, "There is no such task.");

export const TASK_ROUTES: readonly Route[] = [
  { method: "POST", path: "/v1/tasks", roles: ["user"], answer: submit },
  { method: "GET", path: "/v1/tasks", roles: ["user", "operator"], answer: list },
  {
    method: "GET",
    path: "/v1/tasks/*",
    roles: ["user", "operator"],
    async answer({ door, words: [id = ""] }) {
      const task = await door.task(id);
      return task ? { status: 200, body: taskJson(task) } : NO_TASK;
    },
  },
  { method: "POST", path: "/v1/tasks/*/cancel", roles: ["user", "operator"], answer: cancel },
  { method: "POST", path: "/v1/sessions/*/messages", roles: ["user"], answer: say },
  {
    method: "GET",
    path: "/v1/sessions/*/messages/*",
    roles: ["user", "operator"],
    async answer({ door, words: [session = "", n = ""] }) {
      if (!/^\d{1,15}$/.test(n)) return refusal(404, "There is no such message.");
      return { status: 200, body: { session, n: Number(n), task: await door.taskOfMessage(session, Number(n)) } };
    },
  },
];

async function submit(request: GatewayRequest): Promise<GatewayReply | RequestRefusal> {
  const read = await readRequestJson(request);
  if ("status" in read) return read;
  const tasks = readTasks(read.body, traceOf(request.raw));
  if ("status" in tasks) return tasks;
  const submitted = await request.door.submit(tasks);
  const shown = submitted.map(submittedJson);
  if (Array.isArray(read.body)) return { status: 202, body: shown };
  return { status: 202, body: shown[0], headers: { location: `/v1/tasks/${submitted[0]!.id}` } };
}

async function say(request: GatewayRequest): Promise<GatewayReply | RequestRefusal> {
  const [session = ""] = request.words;
  if (session.length > 200 || session.includes("\0")) return refusal(400, "A session is named with up to 200 characters.");
  const read = await readRequestJson(request);
  if ("status" in read) return read;
  const message = readSessionMessage(read.body, traceOf(request.raw));
  if ("status" in message) return message;
  const { n } = await request.door.say(session, message);
  return { status: 202, body: { session, n } };
}

async function list({ door, url }: GatewayRequest): Promise<GatewayReply | RequestRefusal> {
  const given = (name: string) => url.searchParams.get(name) ?? undefined;
  const state = given("state");
  if (state !== undefined && !STATES.includes(state)) return refusal(400, `"state" is one of: ${STATES.join(", ")}.`);
  const limit = Number(given("limit") ?? USUALLY_LISTED);
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_LISTED) return refusal(400, `"limit" is a number from 1 to ${MOST_LISTED}.`);
  const tasks = await door.tasks({ state, batch: given("batch"), session: given("session"), limit });
  return { status: 200, body: tasks.map(taskJson) };
}

/** Whoever asked for it may end it, and an operator any. */
async function cancel({ door, person, words: [id = ""] }: GatewayRequest): Promise<GatewayReply | RequestRefusal> {
  const task = await door.task(id);
  if (!task) return NO_TASK;
  if (task.person !== person.person && !person.roles.includes("operator"))
    return refusal(403, "Somebody else asked for this task. It takes the role operator to cancel it.");
  if (isOver(task) || !(await door.cancel(id))) return refusal(409, "The task is over already.");
  return { status: 202, body: { id, cancel: true } };
}
