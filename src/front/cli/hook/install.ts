import { dirname, join } from "node:path";
import { keepCopy } from "../../../files/private-copy.ts";
import { CLIENT_NAMES, type ClientName, type HookMode } from "../../../hook/client.ts";
import { HOOK_CLIENTS } from "../../../hook/find-client.ts";
import type { ClientPlan, HookScope } from "../../../hook/install/client-plan.ts";
import { CLIENT_PLANS } from "../../../hook/install/client-plans.ts";
import { FileRefused } from "../../../hook/install/edit-text.ts";
import { hookProgram } from "../../../hook/install/hook-program.ts";
import { createInstallStep, type InstallPlace, type InstallStep, type InstallWish } from "../../../hook/install/install-hooks.ts";
import { type InstalledHook, readInstalled } from "../../../hook/install/installed.ts";
import { gapsOf, NETWORK_IN_WALLS, wallsNotes, whyNotMode } from "../../../hook/install/refuse-mode.ts";
import { colouredDiff } from "../../../question/text.ts";
import { changeText } from "../../../runtime/hook/show-change.ts";
import { visible } from "../../../text/visible.ts";
import { withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import { readArgs, UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { printError, warn } from "../run/print.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";
import { choiceIn, namedClients } from "./choose-clients.ts";
import { assertNotItsOwn, assertPersonHere } from "./client-above.ts";
import { programOnPath } from "./client-version.ts";
import { readCodexTrust } from "./codex-config.ts";

const USAGE =
  "Usage: zeph hook install <client…> | --all [--project] [--shared] [--mode guard|walls|filter] [--on-failure deny|allow] [--dry-run] [--yes] [--trust-codex-hooks]";

/** `zeph hook install`: shows what would change in the clients' files, asks, and writes it. Exit 0, or 5 when a client was refused. */
export async function installHooks({ words, flags, settings, terminal }: Invocation): Promise<number> {
  if (process.platform === "win32") throw new UsageError("Hooks are command lines for a POSIX shell, which this system does not have.");
  const { values, positionals } = readArgs(words, USAGE, CLIENT_NAMES.length, {
    all: { type: "boolean" },
    project: { type: "boolean" },
    shared: { type: "boolean" },
    mode: { type: "string" },
    "on-failure": { type: "string" },
    yes: { type: "boolean" },
    "trust-codex-hooks": { type: "boolean" },
  });
  const plans = values.all ? foundOnPath(positionals) : namedClients(positionals);
  if (plans.length === 0) throw new UsageError(`Say for which client.\n${USAGE}`);
  const wish: InstallWish = {
    scope: scopeOf(values),
    mode: choiceIn("--mode", values.mode, ["guard", "walls", "filter"], "guard"),
    onFailure: choiceIn("--on-failure", values["on-failure"], ["deny", "allow"], "deny"),
    program: hookProgram(),
  };
  const isDry = flags.dryRun === true;
  return withStores(settings, terminal, async ({ at }) => {
    if (!isDry) {
      assertPersonHere(at, "zeph hook install");
      const installed = readInstalled(at.state);
      if (plans.some(({ name }) => isWeaker(wish, installed, name))) assertNotItsOwn(at, "zeph hook install");
    }
    const place = { state: at.state, home: at.home, cwd: process.cwd(), env: process.env };
    const steps = plans.map((plan) => stepFor(plan, wish, place, terminal));
    for (const step of steps) if (step) await showStep(step, wish, terminal);
    const open = steps.filter((step): step is InstallStep => step !== null && !step.isSame);
    if (isDry || open.length === 0) return steps.includes(null) ? EXIT.failed : EXIT.ok;
    if (!values.yes && !(await agreed(terminal))) {
      terminal.stderr.write("Nothing was written.\n");
      return EXIT.failed;
    }
    // Agents name it from now on.
    if (wish.program[0]?.startsWith(join(at.state, "copies", "/"))) keepCopy(dirname(dirname(wish.program[0])));
    for (const step of open) write(step, place, terminal);
    const trust = values["trust-codex-hooks"] ? await trustCodex(open, place, terminal) : "not asked for";
    tellNext(open, wish, trust, terminal);
    return steps.includes(null) || trust === "failed" ? EXIT.failed : EXIT.ok;
  });
}

const STRENGTH: readonly HookMode[] = ["filter", "guard", "walls"];

/** Whether the client would be held less than by something that is installed for it now. */
const isWeaker = ({ mode, onFailure }: InstallWish, installed: readonly InstalledHook[], name: ClientName): boolean =>
  installed.some(
    (one) =>
      one.client === name && (STRENGTH.indexOf(mode) < STRENGTH.indexOf(one.mode) || (onFailure === "allow" && one.onFailure === "deny")),
  );

type CodexTrust = "given" | "failed" | "not asked for";

async function trustCodex(steps: readonly InstallStep[], place: InstallPlace, terminal: Terminal): Promise<CodexTrust> {
  const step = steps.find(({ plan }) => plan.name === "codex");
  if (!step) return "not asked for";
  const { trustCodexHooks } = await import("./codex-trust.ts");
  return (await trustCodexHooks(place, step.file, terminal)) ? "given" : "failed";
}

function foundOnPath(words: readonly string[]): readonly ClientPlan[] {
  if (words.length > 0) throw new UsageError(`--all is every client on PATH; it takes no names.\n${USAGE}`);
  const found = Object.values(CLIENT_PLANS).filter(({ program }) => programOnPath(program) !== null);
  if (found.length === 0)
    throw new UsageError(`None of these is on PATH: ${CLIENT_NAMES.join(", ")}. Name the client: zeph hook install claude.`);
  return found;
}

const scopeOf = ({ project, shared }: { readonly project?: boolean; readonly shared?: boolean }): HookScope =>
  shared ? "shared" : project ? "project" : "user";

/** Null where the client is refused, which is told. */
function stepFor(plan: ClientPlan, wish: InstallWish, place: InstallPlace, terminal: Terminal): InstallStep | null {
  const why = whyNotMode(plan.name, wish.mode);
  if (why !== null) {
    printError(terminal, `${plan.name} cannot be put into mode ${wish.mode}. ${why}`);
    return null;
  }
  return refusedOr(plan, terminal, () => createInstallStep(plan, wish, place));
}

/** Tells of a file that is refused; null then. */
export function refusedOr<T>(plan: ClientPlan, terminal: Terminal, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    printError(terminal, `${plan.name}: ${error.message}`);
    return null;
  }
}

async function showStep({ plan, file, before, after, isSame }: InstallStep, { scope }: InstallWish, terminal: Terminal): Promise<void> {
  const { stdout, out } = terminal;
  if (isSame) return void stdout.write(visible(`${plan.name}: ${file.path} has these hooks already.\n`));
  stdout.write(`${colouredDiff(await changeText(file.path, before, after), out)}\n`);
  if (HOOK_CLIENTS[plan.name].tested === null)
    warn(terminal, `${plan.name} is untested: the entries are made from its documentation alone.`);
  if (scope === "shared") warn(terminal, `${file.path} may be committed, and the path of the program is one of this machine.`);
}

async function agreed(terminal: Terminal): Promise<boolean> {
  if (!terminal.attended) throw new UsageError("There is nobody to ask. --dry-run shows what would be written, --yes writes it.");
  const { agreeAtTerminal } = await import("../ask/person.ts");
  return agreeAtTerminal("Write this?", terminal);
}

function write(step: InstallStep, place: InstallPlace, { stdout }: Terminal): void {
  step.apply(step.plan.name === "codex" ? readCodexTrust(place, step.file.path) : undefined);
  stdout.write(visible(`Written: ${step.file.path}\n`));
}

function tellNext(steps: readonly InstallStep[], { onFailure, mode }: InstallWish, trust: CodexTrust, terminal: Terminal): void {
  const { stdout } = terminal;
  if (onFailure === "allow")
    warn(terminal, "Where Zeph does not answer, calls are made without it: that is what --on-failure allow means.");
  if (mode === "walls") {
    stdout.write(`${prose(`Commands run behind Zeph's walls. ${NETWORK_IN_WALLS}`, stdout)}\n`);
    for (const { plan } of steps) for (const note of wallsNotes(plan.name)) stdout.write(`${prose(`${plan.name}: ${note}`, stdout)}\n`);
  }
  for (const { plan } of steps) for (const gap of gapsOf(plan.name)) stdout.write(`${prose(`${plan.name}: ${gap}`, stdout)}\n`);
  if (steps.some(({ plan }) => plan.name === "codex") && trust !== "given")
    stdout.write(`${prose("codex: it runs these hooks only when you trust them: open codex and type /hooks.", stdout)}\n`);
  const walled = steps.map(({ plan }) => plan.name).filter((name) => whyNotMode(name, "walls") === null);
  const without = `The client runs commands itself, without Zeph's walls. Behind them: zeph hook install ${walled.join(" ")} --mode walls`;
  if (mode === "guard" && walled.length > 0) stdout.write(`${prose(without, stdout)}\n`);
  stdout.write("A client that runs already reads its hooks at its next start. See whether they are in force: zeph hook status\n");
}
