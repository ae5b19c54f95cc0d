import { CLIENT_NAMES } from "../../../hook/client.ts";
import type { ClientPlan } from "../../../hook/install/client-plan.ts";
import { CLIENT_PLANS } from "../../../hook/install/client-plans.ts";
import { createRemoveStep, forgetInstalled, type InstallPlace, type RemoveStep, scopesOf } from "../../../hook/install/install-hooks.ts";
import { readInstalled } from "../../../hook/install/installed.ts";
import { colouredDiff } from "../../../question/text.ts";
import { changeText } from "../../../runtime/hook/show-change.ts";
import { visible } from "../../../text/visible.ts";
import { withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import { readArgs, UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";
import { namedClients } from "./choose-clients.ts";
import { assertNotItsOwn, assertPersonHere } from "./client-above.ts";
import { refusedOr } from "./install.ts";

const USAGE = "Usage: zeph hook remove <client…> | --all [--dry-run] [--yes]";

/** `zeph hook remove`: takes Zeph's own entries out, of exactly the clients named, and says what stays. Exit 0, or 5 when a file was refused. */
export async function removeHooks({ words, flags, settings, terminal }: Invocation): Promise<number> {
  const { values, positionals } = readArgs(words, USAGE, CLIENT_NAMES.length, { all: { type: "boolean" }, yes: { type: "boolean" } });
  const isDry = flags.dryRun === true;
  if ((positionals.length === 0) === (values.all !== true)) throw new UsageError(`Say which client's hooks to remove.\n${USAGE}`);
  const plans = values.all ? Object.values(CLIENT_PLANS) : namedClients(positionals);
  return withStores(settings, terminal, async ({ at }) => {
    if (!isDry) {
      assertPersonHere(at, "zeph hook remove");
      assertNotItsOwn(at, "zeph hook remove", values.all ? [] : plans.map(({ name }) => name));
    }
    const place = { state: at.state, home: at.home, cwd: process.cwd(), env: process.env };
    let worst: number = EXIT.ok;
    for (const plan of plans) {
      const steps = scopesOf(plan).map((scope) =>
        refusedOr(plan, terminal, () => {
          const step = createRemoveStep(plan, scope, place);
          if (step === null && !isDry) forgetInstalled(plan, scope, place);
          return { step };
        }),
      );
      if (steps.includes(null)) worst = EXIT.failed;
      const found = steps.flatMap((one) => one?.step ?? []);
      if (found.length === 0 && !values.all && worst === EXIT.ok) terminal.stdout.write(`${plan.name}: nothing of Zeph's is there.\n`);
      for (const step of found) {
        if (isDry) terminal.stdout.write(`${colouredDiff(await changeText(step.file.path, step.before, step.after), terminal.out)}\n`);
        else takeOut(step, terminal);
      }
      if (found.length > 0 || !values.all) tellElsewhere(plan, place, terminal);
    }
    return worst;
  });
}

function takeOut(step: RemoveStep, { stdout }: Terminal): void {
  const stays = step.apply();
  stdout.write(visible(`${step.plan.name}: taken out of ${step.file.path}${step.after === null ? ", which is gone by that" : ""}.\n`));
  for (const line of stays) stdout.write(`  ${prose(visible(line), stdout)}\n`);
  if (step.plan.name === "codex") stdout.write("  What Codex itself keeps about trusted hooks stays in its config.toml.\n");
}

/** Files of other folders are not touched from here. */
function tellElsewhere(plan: ClientPlan, place: InstallPlace, { stdout }: Terminal): void {
  for (const { client, file, folder } of readInstalled(place.state))
    if (client === plan.name && folder !== null && folder !== place.cwd)
      stdout.write(visible(`${plan.name}: ${file} stays. To take it out: zeph --cwd ${folder} hook remove ${plan.name}\n`));
}
