import type { WorkerRow } from "../../../runtime/fleet/fleet-client.ts";
import { visible } from "../../../text/visible.ts";
import { duration, plural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withFleet } from "./with-fleet.ts";

export async function fleetStatus(given: Invocation): Promise<number> {
  const { flags, terminal } = given;
  return withFleet(given, async ({ queue, questions }, { tenant }) => {
    const [{ counts, oldestQueuedMs }, workers, open] = await Promise.all([queue.status(), queue.workers(), questions(null)]);
    const here = workers.filter(({ state }) => state !== "gone");
    if (flags.json) {
      terminal.stdout.write(
        jsonLine({ tenant, tasks: counts, oldest_queued_ms: oldestQueuedMs, questions: open.length, workers: here.map(workerJson) }),
      );
      return EXIT.ok;
    }
    const { out } = terminal;
    const tasks = Object.entries(counts).filter(([, count]) => count > 0);
    const told = tasks.map(([state, count]) =>
      state === "queued" && oldestQueuedMs !== null ? `${count} queued (the oldest for ${duration(oldestQueuedMs)})` : `${count} ${state}`,
    );
    const draining = here.filter(({ state }) => state === "draining").length;
    const running = here.reduce((sum, worker) => sum + worker.running, 0);
    terminal.stdout.write(
      `${out.dim("tasks  ")}  ${told.join(", ") || "none"} (tenant ${visible(tenant)})\n${out.dim("workers")}  ${
        here.length === 0
          ? out.yellow("none")
          : `${plural(machines(here), "worker")}, ${plural(running, "task")} under way${draining > 0 ? `, ${draining} draining` : ""}`
      }\n`,
    );
    if (open.length > 0)
      terminal.stdout.write(
        `${out.dim("waiting")}  ${out.yellow(`${plural(open.length, "question")} for another person`)}: zeph fleet approvals\n`,
      );
    return EXIT.ok;
  });
}

export async function fleetWorkers(given: Invocation): Promise<number> {
  const { flags, terminal } = given;
  return withFleet(given, async ({ queue }) => {
    const found = await queue.workers();
    if (flags.json) terminal.stdout.write(jsonLine(found.map(workerJson)));
    else terminal.stdout.write(workersText(found, terminal));
    return EXIT.ok;
  });
}

export async function fleetDrain(given: Invocation): Promise<number> {
  const { words, flags, terminal } = given;
  const [name, more] = words;
  if (name === undefined || more !== undefined)
    throw new UsageError("Say which: zeph fleet drain <worker>. `zeph fleet workers` lists them.");
  return withFleet(given, async ({ queue }) => {
    if (!(await queue.drain(name))) throw new UsageError(`There is no worker ${name} that works. \`zeph fleet workers\` lists them.`);
    terminal.stdout.write(
      flags.json ? jsonLine({ draining: name }) : `${visible(name)} takes nothing more, gives back what it has, and ends.\n`,
    );
    return EXIT.ok;
  });
}

/** A worker of all tenants starts a process for each of them, which has a row of its own and a name that begins with the worker's. */
function machines(workers: readonly WorkerRow[]): number {
  const parents = workers.filter(({ tenant }) => tenant === null).map(({ name }) => name);
  return workers.filter(({ name, tenant }) => tenant === null || !parents.some((parent) => name.startsWith(`${parent.slice(0, 40)}.`)))
    .length;
}

const workerJson = ({ name, version, state, tenant, slots, running, labels, seenMsAgo }: WorkerRow): object => ({
  name,
  version,
  state,
  tenant,
  slots,
  running,
  labels,
  seen_ms_ago: Math.round(seenMsAgo),
});

function workersText(workers: readonly WorkerRow[], { out }: Terminal): string {
  if (workers.length === 0) return "No worker was ever here. Start one: zeph worker --store …\n";
  const widest = Math.max(...workers.map(({ name }) => name.length));
  const colour = { ready: out.green, draining: out.yellow, gone: out.dim };
  return workers
    .map(({ name, state, tenant, slots, running, labels, version, seenMsAgo }) => {
      // One that takes for all tenants has a process for each of them, which are listed too.
      const room = slots === 0 ? "starts others" : `${running} of ${slots}`;
      const facts = [
        room,
        `for ${tenant === null ? "all tenants" : visible(tenant)}`,
        ...labels.map((label) => `label ${visible(label)}`),
        version,
        `seen ${duration(seenMsAgo)} ago`,
      ];
      return `${visible(name).padEnd(widest)}  ${colour[state](state)}${" ".repeat(9 - state.length)} ${facts.join(", ")}\n`;
    })
    .join("");
}
