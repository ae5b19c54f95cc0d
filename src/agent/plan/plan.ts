import type { Task } from "../../core/ports/goal.ts";
import { PlanError, tasksOf } from "./plan-graph.ts";

/** One answer in words, without tools. */
export type Ask = (prompt: { readonly system: string; readonly text: string }, signal: AbortSignal) => Promise<string>;

const MOST_CHARACTERS = 100_000;

/** Lets a model divide a goal into tasks. A plan that cannot be worked off is sent back once, with what is wrong with it; then it is a PlanError. */
export async function makePlan(ask: Ask, goal: string, context: string, signal: AbortSignal): Promise<readonly Task[]> {
  const text = `${context}\n\nThe goal:\n${goal}`;
  const first = read(await ask({ system: SYSTEM, text }, signal));
  if (first.tasks) return first.tasks;
  signal.throwIfAborted();
  const again = `${text}\n\nYour last answer could not be used: ${first.why} Answer with the whole plan again.`;
  const second = read(await ask({ system: SYSTEM, text: again }, signal));
  if (second.tasks) return second.tasks;
  throw new PlanError(`Twice the model gave no plan that can be carried out. ${second.why}`);
}

const SYSTEM = `You divide a goal into tasks for an agent that works with files and commands. Answer with one JSON object and nothing else:
{"tasks": [{"id": 1, "title": "…", "needs": []}, {"id": 2, "title": "…", "needs": [1]}]}
A title says what is done when the task is done, in one short line. "needs" lists the ids of tasks that must be done first; no task may need itself, directly or through others.
Use as few tasks as make sense, 3 to 8 for most goals and never more than 50. Plan only what the goal asks for; the last task checks that it is reached.`;

type Reading = { readonly tasks: readonly Task[] } | { readonly tasks: null; readonly why: string };

function read(answer: string): Reading {
  try {
    return { tasks: tasksOf(objectIn(answer)) };
  } catch (error) {
    if (error instanceof PlanError) return { tasks: null, why: error.message };
    throw error;
  }
}

/** The JSON object in what a model said, fenced or with words around it. */
function objectIn(answer: string): unknown {
  if (answer.length > MOST_CHARACTERS) throw new PlanError("The answer was far too long.");
  const named = answer.search(/\{\s*"tasks"/);
  const body = answer.slice(named === -1 ? answer.indexOf("{") : named, answer.lastIndexOf("}") + 1);
  try {
    return JSON.parse(body);
  } catch {
    throw new PlanError("It was not one JSON object.");
  }
}
