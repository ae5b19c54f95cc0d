import { version } from "../../../files/version.ts";
import { runWorkerProcess } from "../../../runtime/fleet/worker-process.ts";
import { visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { wholeNumber } from "../number-option.ts";
import type { Invocation } from "../program/invocation.ts";
import { warn } from "../run/print.ts";
import { listenForStop } from "../stop.ts";
import { settingsOfFleet } from "./with-fleet.ts";

/** `zeph worker`: takes tasks until it is stopped. What it says goes to stderr. */
export async function worker(given: Invocation): Promise<number> {
  const { flags, settings, terminal } = given;
  const found = settingsOfFleet(given);
  const slots = flags.slots === undefined ? null : wholeNumber("--slots", flags.slots, { least: 1, most: 1000 });
  const labels = (flags.label as readonly string[] | undefined) ?? [];
  const stop = listenForStop();
  const say = (text: string) => void terminal.stderr.write(`${visible(text)}\n`);
  stop.signal.addEventListener(
    "abort",
    () => say("Draining: nothing new is taken, and what runs is given back. Once more ends it at once."),
    {
      once: true,
    },
  );
  const tenant = typeof flags.tenant === "string" ? flags.tenant : null;
  try {
    await runWorkerProcess({
      settings: found,
      agents: settings,
      tenant,
      name: typeof flags.name === "string" ? flags.name : null,
      slots,
      labels,
      workspaces: typeof flags.workspaces === "string" ? flags.workspaces : null,
      version: version(),
      command: againFor(given, labels),
      signal: stop.signal,
      say,
      warn: (words) => warn(terminal, words),
      ready: (name) => say(`Worker ${name} takes tasks of ${tenant === null ? "all tenants" : tenant}. Ctrl-C drains it.`),
      tell(event) {
        if (event.type === "taken") say(`took ${event.task.id} of session ${event.task.session}`);
        if (event.type === "ended") say(`${event.task.id}: ${event.end}`);
        if (event.type === "fenced")
          say(`${event.task.id}: the session is held by another worker now, so nothing was written (${event.what})`);
      },
    });
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
  return EXIT.ok;
}

/** The same program for one tenant; which one, and where, is added behind it. */
const againFor = ({ settings }: Invocation, labels: readonly string[]): readonly string[] => [
  process.execPath,
  ...process.execArgv,
  process.argv[1]!,
  ...(settings.config === undefined ? [] : ["--config", settings.config]),
  ...settings.set.flatMap((one) => ["--set", one]),
  "worker",
  ...labels.flatMap((label) => ["--label", label]),
];
