import { resolve } from "node:path";
import { isExecutable } from "../../../../files/programs.ts";
import { HOOK_CLIENTS } from "../../../../hook/find-client.ts";
import type { ClientPlan } from "../../../../hook/install/client-plan.ts";
import type { InstallPlace } from "../../../../hook/install/install-hooks.ts";
import type { InstalledHook } from "../../../../hook/install/installed.ts";
import { LIVE_CLIENTS } from "../../../../hook/live/live-clients.ts";
import { visible } from "../../../../text/visible.ts";
import { EXIT } from "../../exit.ts";
import { UsageError } from "../../io.ts";
import { jsonLine, warn } from "../../run/print.ts";
import { listenForStop } from "../../stop.ts";
import { prose, type Terminal } from "../../terminal/terminal.ts";
import { programOnPath, versionOf } from "../client-version.ts";
import { examineFiles } from "../examine.ts";
import { openPrivatePlace } from "./private-place.ts";
import { type LiveTrial, testLive } from "./test-live.ts";

/** `zeph hook test <client> --live`: starts the real client in a home of its own, with a scripted model, and looks at what runs. Exit 0, or 5. */
export async function testHookLive(
  plan: ClientPlan,
  place: InstallPlace,
  { program: given, isJson }: { readonly program: string | undefined; readonly isJson: boolean },
  terminal: Terminal,
): Promise<number> {
  const client = LIVE_CLIENTS[plan.name];
  if (client === null) throw new UsageError(`Nobody has tried ${plan.name} with a scripted model, so it is not started.`);
  const record = installedIn(plan, place);
  if (record.mode === "filter") throw new UsageError("Mode filter judges no call, so there is nothing that --live could show.");
  const program = programFor(plan, given);
  const { signal } = listenForStop();
  const version = await versionAlone(plan, program);
  const { stdout, stderr } = terminal;
  if (!version.isTested) {
    const which = version.version === null ? "does not say which version it is" : `is of version ${version.version}`;
    warn(terminal, `${program} ${which}; ${HOOK_CLIENTS[plan.name].tested} was tried with Zeph. What follows is what this one does.`);
  }
  if (!isJson)
    stderr.write(`${prose(`Starting ${plan.name} twice, in a private home and with a scripted model. Ctrl-C ends it.`, stderr)}\n`);
  const trials = await testLive({ plan, client, version: { ...version, program }, installed: record, signal });
  if (isJson) {
    const { mode, onFailure } = record;
    const about = { client: plan.name, program, version: version.version, version_tested: version.isTested, mode, on_failure: onFailure };
    stdout.write(jsonLine({ ...about, trials }));
  } else {
    stdout.write(`${visible(`${plan.name} ${version.version ?? "of a version it does not say"}, ${program}, mode ${record.mode}`)}\n`);
    stdout.write(reportOf(trials, terminal));
  }
  if (signal.aborted) return EXIT.cancelled;
  return trials.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
}

const reportOf = (trials: readonly LiveTrial[], { out }: Terminal): string =>
  trials
    .map(({ what, ok, saw, read }) => {
      const line = `${ok ? out.green("ok   ") : out.red("wrong")}  ${visible(`${what}: ${saw}`)}\n`;
      return ok || read === null ? line : `${line}       ${visible(`the model read: ${read.trim()}`).replaceAll("\n", "\n       ")}\n`;
    })
    .join("");

/** What stands in the client's files and in Zeph's records. Entries that somebody changed are not what would be tried. */
function installedIn(plan: ClientPlan, place: InstallPlace): InstalledHook {
  const files = examineFiles(plan, place).filter(({ own, record }) => own.length > 0 && record !== null);
  const [first] = files;
  if (!first?.record) throw new UsageError(`No hook of Zeph is in the files of ${plan.name}. zeph hook install ${plan.name} writes it.`);
  const fault = files.flatMap(({ file, faults }) => faults.map((one) => `${file}: ${one}`))[0];
  if (fault !== undefined) throw new UsageError(fault);
  return first.record;
}

function programFor(plan: ClientPlan, given: string | undefined): string {
  const path = given === undefined ? programOnPath(plan.program) : resolve(given);
  if (path === null)
    throw new UsageError(
      `${plan.program} is not on PATH, so there is nothing to start. Install it, or say where it lies: --program <path>.`,
    );
  if (!isExecutable(path)) throw new UsageError(visible(`${path} is no program that can be started.`));
  return path;
}

/** Also this question is put in a home of its own. */
async function versionAlone(plan: ClientPlan, path: string) {
  const place = openPrivatePlace(process.env.PATH ?? "");
  try {
    return await versionOf(plan, { path, env: place.env });
  } finally {
    place.close();
  }
}
