import type { FleetTaskState } from "../../../runtime/fleet/fleet-client.ts";
import { visible } from "../../../text/visible.ts";
import { plural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { wholeNumber } from "../number-option.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { fleetTaskJson, taskLines, taskText } from "./task-text.ts";
import { wholeTaskId, withFleet } from "./with-fleet.ts";

const STATES = ["queued", "running", "done", "failed", "unknown", "cancelled"] as const satisfies readonly FleetTaskState[];
const USUAL = 20;

export async function fleetTasks(given: Invocation): Promise<number> {
  const { flags, terminal } = given;
  const state = flags.state as FleetTaskState | undefined;
  if (state !== undefined && !STATES.includes(state)) throw new UsageError(`--state ${state}: it is one of ${STATES.join(", ")}.`);
  const limit = wholeNumber("--limit", flags.limit ?? USUAL, { least: 1, most: 1000 });
  return withFleet(given, async ({ queue }) => {
    const found = await queue.list({ limit, ...(state && { state }), ...(typeof flags.batch === "string" && { batch: flags.batch }) });
    if (flags.json) terminal.stdout.write(jsonLine(found.map(fleetTaskJson)));
    else terminal.stdout.write(found.length === 0 ? "There are no such tasks.\n" : taskLines(found, terminal));
    return EXIT.ok;
  });
}

export async function fleetTask(given: Invocation): Promise<number> {
  const { words, flags, terminal } = given;
  return withFleet(given, async (fleet) => {
    const id = await wholeTaskId(fleet, words[0]);
    const task = await fleet.queue.get(id);
    if (!task) throw new UsageError(`There is no task ${id}. \`zeph fleet tasks\` lists them.`);
    const questions = task.state === "running" ? await fleet.questions(task.session) : [];
    terminal.stdout.write(flags.json ? jsonLine({ ...fleetTaskJson(task), questions }) : taskText(task, terminal, questions));
    return EXIT.ok;
  });
}

export async function fleetCancel(given: Invocation): Promise<number> {
  const { words, flags, terminal } = given;
  const { batch, reason } = flags;
  if ((words[0] === undefined) === (batch === undefined))
    throw new UsageError("Say which: zeph fleet cancel <id>, or zeph fleet cancel --batch <name>.");
  return withFleet(given, async (fleet) => {
    const what = typeof batch === "string" ? { batch } : { id: await wholeTaskId(fleet, words[0]) };
    const ended = await fleet.queue.cancel(what, typeof reason === "string" ? reason : "somebody cancelled it");
    if (flags.json) terminal.stdout.write(jsonLine({ cancelled: ended }));
    else
      terminal.stdout.write(
        ended.length === 0
          ? "Nothing was left to cancel.\n"
          : `Cancelled: ${plural(ended.length, "task")}${ended.length === 1 ? ` (${visible(ended[0]!)})` : ""}.\n`,
      );
    return EXIT.ok;
  });
}
