import { makePlan } from "../../agent/plan/plan.ts";
import { goalLine, nextText, planText } from "../../agent/plan/plan-text.ts";
import { CommandError, type Reply, type SlashCommand } from "../../core/command.ts";
import type { Goal, GoalStatus } from "../../core/ports/goal.ts";
import { didYouMean } from "../../text/nearest.ts";
import type { Surroundings } from "../agent/feature.ts";
import type { GoalsDesk } from "./goals-state.ts";
import { misuse, STATUSES, TASK_USAGE, WORDS } from "./goals-words.ts";

const LONGEST_GOAL = 10_000;
const LISTED = 20;

/** `/plan`: what a person does with goals. Anything that is none of its words, and does not look like one, is a new goal. */
export function planCommand(
  desk: GoalsDesk,
  { store: { goals }, workspace, mind, redact }: Pick<Surroundings, "store" | "workspace" | "mind" | "redact">,
): SlashCommand {
  const list = () => goals.list(workspace, LISTED);
  return {
    name: "/plan",
    usage: "/plan [<goal>|list|resume <id>|pause|done|cancel|task <n> <status>]",
    help: "make a plan for a goal, or show and change the current one",
    complete: (rest) => choices(rest, desk, list),
    async run(rest, signal): Promise<Reply> {
      const [said = "", first = "", second = "", ...more] = rest.trim().split(/\s+/);
      const word = said.toLowerCase();
      const alone = first === "";
      if (alone && (word === "" || word === "status")) return show(await desk.active());
      if (alone && word === "list") return { text: listText(await list()) };
      if (alone && word === "pause") return end(desk, "paused");
      if (alone && word === "done") return end(desk, "done");
      if (alone && word === "cancel") return end(desk, "cancelled");
      if (word === "resume" && second === "") return resume(desk, first, await list());
      if (word === "task" && /^\d*$/.test(first)) return setTask(desk, first, second.toLowerCase(), more.join(" "));
      const wrong = misuse(rest);
      if (wrong !== null) throw new CommandError(wrong);
      if (alone && didYouMean(word, WORDS) !== "")
        throw new CommandError(`/plan ${said} is not known.${didYouMean(word, WORDS)} A goal has more than one word.`);
      return begin(desk, rest.trim(), { mind, redact, workspace }, signal);
    },
  };
}

async function begin(
  desk: GoalsDesk,
  typed: string,
  { mind, redact, workspace }: Pick<Surroundings, "mind" | "redact" | "workspace">,
  signal: AbortSignal,
): Promise<Reply> {
  if (typed.length > LONGEST_GOAL)
    throw new CommandError(`A goal may have ${LONGEST_GOAL} characters; this one has ${typed.length}. Put the details into a file.`);
  const lent = mind();
  if (!lent) throw new CommandError("/plan makes a plan with a model, and there is none here. Start `zeph` with one.");
  const tasks = await makePlan(
    (prompt, stop) => lent.ask(prompt, stop),
    redact(typed),
    `The agent works in the folder ${workspace}.`,
    signal,
  ).catch((error: Error) => {
    throw new CommandError(
      signal.aborted ? "Stopped. No plan was stored." : `${error.message} No plan was stored; the earlier plan is unchanged.`,
    );
  });
  if (signal.aborted) throw new CommandError("Stopped. No plan was stored.");
  const before = await desk.active();
  const goal = await desk.start(typed, tasks);
  const paused = before ? `\n"${goalLine(before)}" is paused; /plan resume ${before.id.slice(0, 8)} takes it up again.` : "";
  return { text: `${planText(goal)}\nNothing is begun yet. Say "go on" to begin, or /plan <goal> to make another plan.${paused}` };
}

function show(goal: Goal | null): Reply {
  if (!goal) return { text: "There is no active goal. /plan <goal> makes a plan for one; /plan list shows earlier ones." };
  return { text: `${planText(goal)}\n${nextText(goal.tasks)}` };
}

const listText = (goals: readonly Goal[]): string =>
  goals.length === 0
    ? "There is no goal in this folder. /plan <goal> makes a plan for one."
    : goals
        .map((goal, at) => `${String(at + 1).padStart(2)}  ${goal.id.slice(0, 8)}  ${goal.status.padEnd(9)}  ${goalLine(goal)}`)
        .join("\n");

async function end(desk: GoalsDesk, status: Exclude<GoalStatus, "active">): Promise<Reply> {
  const goal = await activeOf(desk);
  await desk.setStatus(goal, status);
  return { text: `"${goalLine(goal)}" is ${status}. /plan resume ${goal.id.slice(0, 8)} takes it up again.` };
}

/** By its place in the list, or by the beginning of its id. */
async function resume(desk: GoalsDesk, which: string, listed: readonly Goal[]): Promise<Reply> {
  const found = /^\d{1,3}$/.test(which)
    ? listed.slice(Number(which) - 1, Number(which))
    : listed.filter(({ id }) => which.length >= 4 && id.startsWith(which));
  const [goal, other] = Number(which) === 0 ? [] : found;
  if (!goal)
    throw new CommandError(
      which === ""
        ? "Say which one: /plan resume <id or number>. /plan list shows them."
        : `There is no goal ${which} here. /plan list shows them.`,
    );
  if (other) throw new CommandError(`More than one goal begins with ${which}. Type more of its id.`);
  return show(await desk.setStatus(goal, "active"));
}

async function setTask(desk: GoalsDesk, n: string, status: string, note: string): Promise<Reply> {
  const wanted = STATUSES.find((one) => one === status);
  if (n === "" || !wanted) throw new CommandError(`Say which task, and its status: ${TASK_USAGE}.${didYouMean(status, STATUSES)}`);
  await activeOf(desk);
  const changed = await desk.change({ n: Number(n), status: wanted, ...(note !== "" && { note }) });
  if ("refused" in changed) throw new CommandError(changed.refused);
  return { text: changed.text };
}

async function activeOf(desk: GoalsDesk): Promise<Goal> {
  const goal = await desk.active();
  if (!goal) throw new CommandError("There is no active goal. /plan list shows earlier ones, /plan resume <id> takes one up again.");
  return goal;
}

/** What could stand in place of the last word. */
async function choices(rest: string, desk: GoalsDesk, list: () => Promise<readonly Goal[]>): Promise<readonly string[]> {
  const words = rest.trimStart().split(/\s+/);
  const all = await following(words, desk, list);
  return all.filter((choice) => choice.startsWith(words.at(-1)!));
}

async function following(words: readonly string[], desk: GoalsDesk, list: () => Promise<readonly Goal[]>): Promise<readonly string[]> {
  const place = `${words[0]} ${words.length}`;
  if (words.length === 1) return WORDS;
  if (place === "resume 2") return (await list()).filter(({ status }) => status !== "active").map(({ id }) => id.slice(0, 8));
  if (place === "task 2") return ((await desk.active())?.tasks ?? []).map(({ n }) => String(n));
  return place === "task 3" ? STATUSES : [];
}
