import type { ScheduledTask } from "../../../core/ports/store.ts";
import { addedText, addTask, isOpen, timeWords } from "../../../runtime/agent/scheduled-add.ts";
import type { Desk } from "../../../runtime/create.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { actionFor, withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** `zeph schedule`: tasks for later. */
export async function schedule(given: Invocation): Promise<number> {
  const [word = "list", ...more] = given.words;
  const act = actionFor("schedule", word, ACTIONS);
  const { flags, settings, terminal } = given;
  if (flags.once && word !== "run") throw new UsageError("--once goes with: zeph schedule run");
  if (more.length > 0 && (word === "list" || word === "run")) throw new UsageError(`"${more[0]}" is one word too many.`);
  return withStores(settings, terminal, (desk) => act(given, desk, more));
}

const ACTIONS: Readonly<Record<string, (given: Invocation, desk: Desk, more: readonly string[]) => Promise<number>>> = {
  list,
  add: (given, desk, more) => add(more, given, desk),
  remove: ({ terminal }, desk, more) => remove(more, desk, terminal),
  run: async (given, desk) => (await import("./run.ts")).runSchedule(given, desk),
};

async function list({ flags, terminal }: Invocation, { schedule }: Desk): Promise<number> {
  const found = await schedule.list(flags.all ? undefined : process.cwd());
  terminal.stdout.write(flags.json ? jsonLine(found.map(taskJson)) : listText(found, flags.all ? "every" : "this", terminal));
  return EXIT.ok;
}

async function add([when, ...task]: readonly string[], { flags, terminal }: Invocation, { schedule, loaded, at }: Desk): Promise<number> {
  if (when === undefined || task.length === 0)
    throw new UsageError('Say when and what: zeph schedule add "tomorrow at 9" "Check the build"');
  const { deskRedact } = await import("../../../runtime/agent/scheduled-redact.ts");
  const redact = await deskRedact(loaded, at.home);
  const now = () => Date.now();
  const added = await addTask(
    { schedule, workspace: process.cwd(), redact, now, limits: { most: loaded.config.agent.schedule.max_tasks, leastSeconds: 0 } },
    { task: task.join(" "), when, untrusted: false, bound: null },
  );
  // A time without its quotes begins the task.
  if ("refused" in added) throw new UsageError(`${added.refused}${/\s/.test(when) ? "" : " Put a time of several words into quotes."}`);
  terminal.stdout.write(flags.json ? jsonLine(taskJson(added)) : `${addedText(added, now())}\n`);
  return EXIT.ok;
}

const SHORTEST_ID = 4;

async function remove(ids: readonly string[], { schedule }: Desk, { stdout }: Terminal): Promise<number> {
  const [id = ""] = ids;
  if (ids.length !== 1 || id.length < SHORTEST_ID)
    throw new UsageError(
      `Say which one: zeph schedule remove <id>, with ${SHORTEST_ID} characters of it or more. \`zeph schedule\` lists them.`,
    );
  const [found, other] = (await schedule.list()).filter((task) => task.id.startsWith(id));
  if (other) throw new UsageError(`More than one task begins with ${id}. Type more of its id.`);
  if (!found || !(await schedule.remove(found.id))) throw new UsageError(`There is no task ${id}. \`zeph schedule --all\` lists them.`);
  stdout.write(`Removed: ${visible(found.id.slice(0, 8))}  ${oneLine(visible(found.task))}\n`);
  return EXIT.ok;
}

function listText(found: readonly ScheduledTask[], folder: "every" | "this", { out }: Terminal): string {
  if (found.length === 0)
    return folder === "this" ? "Nothing is scheduled in this folder. --all lists what is in others.\n" : "Nothing is scheduled.\n";
  const now = Date.now();
  return found
    .map((task) => {
      const next = isOpen(task) ? timeWords(task.nextAt!, now) : "over";
      const about = [oneLine(visible(task.task)), ...(folder === "every" ? [visible(task.workspace)] : []), ...lastText(task, now)];
      return `${task.id.slice(0, 8)}  ${next}  ${out.dim(visible(task.when))}\n${about.map((line) => `          ${line}\n`).join("")}`;
    })
    .join("");
}

/** A run that left nothing but its beginning may still go on, or its process was killed. */
function lastText({ last }: ScheduledTask, now: number): string[] {
  if (!last) return [];
  const how = last.ok ? "ok" : last.conversation === undefined ? "did not end" : "failed";
  return [
    `last: ${timeWords(last.at, now)}, ${how}${last.conversation === undefined ? "" : `, conversation ${visible(last.conversation)}`}`,
  ];
}

const taskJson = ({ id, workspace, task, when, cron, nextAt, untrusted, bound, createdAt, last }: ScheduledTask) => ({
  id,
  workspace,
  task,
  when,
  cron,
  next_at: nextAt === null ? null : new Date(nextAt).toISOString(),
  untrusted,
  ...(bound && { trust: bound.trust, asked_by: bound.name }),
  created_at: new Date(createdAt).toISOString(),
  last: last && { ...last, at: new Date(last.at).toISOString() },
});
