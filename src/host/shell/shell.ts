import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ApprovedCall } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import type { CommandContext, Ran, Shell } from "../../core/ports/shell.ts";
import type { Walls } from "../../core/ports/walls.ts";
import type { CallContext } from "../../core/tool.ts";
import { runOwner, type TurnContext } from "../../core/turn.ts";
import { secureOwnPlace } from "../../files/own-place.ts";
import type { CommandEgress } from "../egress/command-egress.ts";
import { beginWayOut } from "../egress/way-out.ts";
import { swapGuard } from "../files/swap-guard.ts";
import type { SessionNetwork } from "../network/session-network.ts";
import { beforeCommand } from "../protected/after-command.ts";
import { laterThanCommand } from "../protected/quarantine.ts";
import { assertAgreedUnprotected, liftedIn, unprotectedReason } from "../protected/unprotected.ts";
import type { SandboxConfig } from "../sandbox/config.ts";
import { type JudgedStart, startJudged } from "../sandbox/judged-start.ts";
import { policyFor, policyInTurns, type Setting } from "../sandbox/policy.ts";
import { findProgram } from "../sandbox/programs.ts";
import { isOwnBuilder, type Sandbox } from "../sandbox/sandbox.ts";
import type { OtherUser } from "../sandbox/user.ts";
import type { FileRemotes } from "../workday/file-remotes.ts";
import { workdayNotes } from "../workday/notes.ts";
import type { WholeRepository } from "../workday/opened-repository.ts";
import type { WorkdayLookup } from "../workday/workday.ts";
import { type Background, openBackground } from "./background.ts";
import { bashWords } from "./bash-words.ts";
import { openCommandClock } from "./command-clock.ts";
import { type CommandReach, commandReach, withRemotes } from "./command-reach.ts";
import { commandTime, type ShellRunConfig } from "./config.ts";
import { createHintFacts } from "./hint-facts.ts";
import { wallHint } from "./hints.ts";
import type { LocalProgram } from "./local-program.ts";
import { folderAt, nextState, shownFolder } from "./next-state.ts";
import { openRehearsal, type Rehearsal } from "./rehearsal/rehearsal.ts";
import { commandEnd, runCommand } from "./run-command.ts";
import type { LentTerminal } from "./terminal.ts";
import {
  createTurnStates,
  mayChangeState,
  mergeExported,
  readStateReport,
  type ShellState,
  type Standpoint,
  setsState,
  withStateReport,
} from "./turn-state.ts";
import { beginTransaction } from "./undo/transaction.ts";
import type { Unread } from "./unread.ts";
import { withoutWalls } from "./without-walls.ts";

export interface ShellOptions {
  readonly cwd: string;
  readonly config: ShellRunConfig;
  readonly sandbox: SandboxConfig;
  /** Probed once, when the first command runs. */
  readonly probe: () => Promise<Sandbox>;
  /** What the walls must know about this machine and this user. */
  readonly setting: Pick<Setting, "home" | "own" | "keys" | "env" | "runner" | "hidden"> & { readonly day?: WorkdayLookup };
  /** Where files go that commands of other agents may not leave behind. */
  readonly quarantine?: string | undefined;
  /** What is protected and these walls cannot hold, in words; null when they hold it all. */
  readonly exposed?: () => Promise<string | null>;
  readonly user?: OtherUser | undefined;
  /** Variables for the commands of one skill and nobody else's. */
  readonly skillEnv?: (skill: string) => Readonly<Record<string, string>>;
  /** Told of every command that is started without walls, before it is. */
  readonly onUnwalled?: (permit: ApprovedCall, walls: Walls) => void;
  /** Repositories outside of the workspace that were opened to the commands of this session. */
  readonly remotes?: FileRemotes | undefined;
  /** Whether commands may change all of the repository around the workspace. */
  readonly whole?: WholeRepository | undefined;
  /** The closed network that the commands of this session share; without it each has one of its own. */
  readonly network?: SessionNetwork | undefined;
  /** The way out of it. */
  readonly egress?: CommandEgress | undefined;
  /** Where the person watches the commands of a turn. */
  readonly lent?: LentTerminal | undefined;
}

export interface LocalShell {
  readonly shell: Shell;
  readonly background: Background;
  endTurn(turnId: string): void;
  /** Where the turn's shell stands; null for the workspace itself. */
  standing(turn: Standpoint): string | null;
  /** A new session begins: the folder that a person went to is forgotten. */
  restart(): void;
  history(turnId: string): readonly string[];
  /** `listener` is told when a command has gone to another folder. */
  onCwdChanged(listener: OnCwdChanged): void;
  /**
   * One program with its arguments, behind the same walls as any command. No shell reads them, and nothing of the turn goes in or comes out.
   * Null when there is no such program where commands look for theirs.
   */
  exec(permit: ApprovedCall, program: LocalProgram, signal: AbortSignal): Promise<Ran | null>;
}

type OnCwdChanged = (from: string, to: string, ctx: CallContext) => void;

/** Commands on this machine, behind whatever walls it offers. */
export function createLocalShell(options: ShellOptions): LocalShell {
  const { config } = options;
  const states = createTurnStates(options.cwd, (folder) => folderAt(folder) === folder);
  const moved: OnCwdChanged[] = [];
  const runs = openBackground(config.max_background_runs);

  const nameFolder = (cwd: string, turn: Standpoint) => shownFolder(cwd, options.cwd, states.start(turn));
  const nameStart = (cwd: string, turn: Standpoint): string => (cwd === options.cwd ? "at the top" : `in ${nameFolder(cwd, turn)}`);

  /** Where it began and ended, in words. */
  const addFolders = (ran: Ran, turn: Standpoint, from: string, to: string): Ran => {
    const [began, folder] = [nameFolder(from, turn), nameFolder(to, turn)];
    return { ...ran, ...(folder !== null && { folder }), ...(to !== from && { moved: { ...(began !== null && { from: began }) } }) };
  };

  /** What the turn remembers, where the call was judged: another call may have gone elsewhere since. */
  const judgedState = ({ call }: ApprovedCall, turn: TurnContext) => ({ ...states.get(turn), cwd: call.cwd ?? options.cwd });

  const inTurn = async (permit: ApprovedCall, command: string, { turn, signal, seconds, streams }: CommandContext): Promise<Ran> => {
    const state = judgedState(permit, turn);
    const done = await execute(options, {
      permit,
      command,
      state,
      env: { ...streams?.env, ...skillsOwn(options, turn) },
      ...{ signal, turn, streams },
      timeoutMs: commandTime(config, seconds),
      person: turn.phase === "planner",
      ...(options.lent && { lent: options.lent }),
    });
    // Other calls of the turn may have ended meanwhile: only what this one changed is taken over.
    const now = states.get(turn);
    const next = done.state ?? state;
    const cwd = next.cwd === state.cwd ? now.cwd : next.cwd;
    states.set(turn, { cwd, exported: mergeExported(now.exported, state.exported, next.exported), history: [...now.history, command] });
    if (next.cwd !== state.cwd) for (const listener of moved) listener(state.cwd, next.cwd, { turn, signal });
    const isChosen = turn.typed === true && next.cwd !== state.cwd;
    if (isChosen) states.startIn(next.cwd);
    const notes = [
      ...done.ran.notes,
      ...(now.gone === undefined
        ? []
        : [
            `${nameFolder(now.gone, turn)} is gone; ${state.gone === undefined ? "commands start" : "this command started"} ${nameStart(now.cwd, turn)}`,
          ]),
      ...(done.state === null && setsState(command) ? [`${UNTOLD}: the next command starts ${nameStart(cwd, turn)}`] : []),
      ...(isChosen ? [startNote(shownFolder(next.cwd, options.cwd, ""))] : []),
    ];
    return { ...addFolders(done.ran, turn, now.gone === state.cwd ? cwd : state.cwd, cwd), notes };
  };

  return {
    background: runs,
    endTurn: states.end,
    restart: states.restart,
    standing: (turn) => {
      const { cwd } = states.get(turn);
      return cwd === options.cwd ? null : cwd;
    },
    history: (turnId) => states.get({ turnId }).history,
    onCwdChanged: (listener) => void moved.push(listener),
    async exec(permit, { argv, cwd, env, timeoutMs = Number.POSITIVE_INFINITY }, signal) {
      const state = { cwd, exported: env, history: [] };
      if (findProgram(argv[0]!, await lookupPath(options, state), cwd) === null) return null;
      const most = Math.min(timeoutMs, config.timeout * 1000);
      return (await execute(options, { permit, command: "", argv, state, signal, timeoutMs: most, person: true })).ran;
    },
    shell: {
      run: inTurn,
      async rehearse(permit, command, { turn, signal, seconds }) {
        const state = judgedState(permit, turn);
        const timeoutMs = commandTime(config, seconds);
        const found = await options.probe();
        if (found.backend !== "bubblewrap")
          throw new ToolError("permanent_failure", "A dry run needs the bubblewrap sandbox. Run zeph doctor.");
        const reach = await commandReach({ ...options, found, cwd: state.cwd }, { permit, command, turn, signal });
        const job = { permit, command, state, env: skillsOwn(options, turn), signal, timeoutMs, person: true, reach };
        const { write: roots } = await policyInTurns(options.sandbox, { ...settingFor(options, state), whole: reach.whole });
        const touched = permit.call.touches.flatMap((touch) => (touch.kind === "path" ? [resolve(state.cwd, touch.path)] : []));
        const rehearsal = await openRehearsal({ roots, user: options.user, touched, signal });
        try {
          const { ran } = await execute(options, job, rehearsal);
          const { list: changes, unlisted, isComplete } = await rehearsal.changes();
          const notes = [...ran.notes, ...rehearsal.notes];
          return { ran: { ...ran, notes }, changes, unlisted, isComplete, workspace: options.cwd };
        } finally {
          rehearsal.drop();
        }
      },
      async start(permit, command, { turn, signal, seconds = Number.POSITIVE_INFINITY }) {
        const state = judgedState(permit, turn);
        const env = skillsOwn(options, turn);
        const timeoutMs = Math.min(seconds, config.background_timeout_secs) * 1000;
        // What may not run at all is refused now, not told of later.
        const found = await options.probe();
        const walls = withoutWalls(options.sandbox, found, permit) ?? found.walls;
        const job = { permit, command, state, env, timeoutMs, turn, person: true };
        const work = async (stop: AbortSignal, hear: Job["hear"]) => (await execute(options, { ...job, hear, signal: stop })).ran;
        const own = runs.of(runOwner(turn));
        const started = own.start(command, work, turn.callerId);
        const folder =
          state.gone === undefined
            ? nameFolder(state.cwd, turn)
            : `${nameFolder(state.cwd, turn) ?? "the top"}: ${nameFolder(state.gone, turn)} is gone`;
        const ran = await own.wait(started.runId, FIRST_MS, signal).catch((error) => {
          // It goes on all the same where only the call was cancelled.
          if (signal.aborted) return null;
          throw error;
        });
        return { ...started, walls, ...(ran ? { ran } : own.read(started.runId)), ...(folder !== null && { folder }) };
      },
      async list(_permit, turn) {
        const own = runs.of(runOwner(turn));
        const all = own.list();
        // An answer has room for the output of one command.
        const [talking, ...others] = all.filter(({ newLines }) => newLines > 0);
        return all.map((run) => (run === talking && others.length === 0 ? { ...run, ...own.read(run.runId) } : run));
      },
      async wait(_permit, runId, seconds, { turn, signal }) {
        const own = runs.of(runOwner(turn));
        return (await own.wait(runId, seconds * 1000, signal)) ?? own.read(runId);
      },
      kill: (_permit, runId, turn) => runs.of(runOwner(turn)).kill(runId),
    },
  };
}

/** A command in the background is watched so long: what is wrong with it often shows at once. */
const FIRST_MS = 1000;

/** Of a command after which nothing is known of its shell. */
const UNTOLD = "its shell ended without a word (exec, its own trap, or killed), so its cd and exports are not kept";

const startNote = (folder: string | null): string =>
  `your next ! command and the commands of the next turn start in ${folder ?? "the workspace's top"}`;

interface Job extends Pick<CommandContext, "streams"> {
  readonly permit: ApprovedCall;
  readonly command: string;
  /** In place of bash and the command. */
  readonly argv?: readonly string[];
  readonly state: ShellState;
  /** For this command alone. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Whose command it is; a program that a tool starts by itself has no way out. */
  readonly turn?: TurnContext;
  /** What a person typed, and what runs in the background, is not undone behind their back. */
  readonly person: boolean;
  readonly lent?: LentTerminal;
  /** Told of what it prints, as it comes. */
  readonly hear?: Unread["add"] | undefined;
  /** What is opened to it, where that was asked before. */
  readonly reach?: CommandReach;
}

interface Done {
  readonly ran: Ran;
  /** Where the shell ended up; null when it did not change or did not tell. */
  readonly state: Omit<ShellState, "history"> | null;
}

const settingFor = ({ setting, cwd, config }: ShellOptions, { cwd: start, exported }: ShellState, env: Job["env"] = {}): Setting => ({
  ...setting,
  cwd,
  allowedPaths: config.allowed_paths,
  start,
  added: { ...exported, ...env },
});

/** A name is easily taken, so a skill's variables are for one that somebody vouched for as it is. */
const skillsOwn = ({ skillEnv }: ShellOptions, { skillName, trust }: TurnContext): Readonly<Record<string, string>> =>
  skillName !== undefined && trust === "trusted" ? (skillEnv?.(skillName) ?? {}) : {};

async function execute(options: ShellOptions, job: Job, rehearsal?: Rehearsal): Promise<Done> {
  const found = await options.probe();
  // It may ask somebody, who is not asked again.
  const reach = job.reach ?? (await commandReach({ ...options, found, cwd: job.state.cwd }, job));
  return startJudged(found, (start) => executeOnce(options, { ...job, ...start, reach }, found, rehearsal));
}

async function executeOnce(
  options: ShellOptions,
  job: Job & JudgedStart & { readonly reach: CommandReach },
  found: Sandbox,
  rehearsal?: Rehearsal,
): Promise<Done> {
  const { config } = options;
  const { permit, command, state, reach } = job;
  const lifted = liftedIn(permit);
  const setting = { ...settingFor(options, state, job.env), lifted, isOwnBuilder: isOwnBuilder(found), whole: reach.whole };
  const real = await policyInTurns(
    options.sandbox,
    rehearsal || !options.sandbox.enabled ? setting : withRemotes(setting, options.remotes, permit),
  );
  const policy = rehearsal?.walls(real) ?? real;
  // At once: what is opened now is what was judged.
  const places = job.hold(policy);
  // Where there are walls, the policy says already what they cannot hold.
  const exposed = options.sandbox.enabled ? unprotectedReason(found, real, options.sandbox) : ((await options.exposed?.()) ?? null);
  assertAgreedUnprotected(exposed, permit.grant);
  await secureOwnPlace(policy.write);
  const tells = mayChangeState(command);
  const argv = job.argv ?? bashWords(command, tells ? withStateReport(command) : command);
  const open = withoutWalls(options.sandbox, found, permit);
  const isLifting = lifted.length > 0 && !open && !rehearsal;
  if (open) options.onUnwalled?.(permit, open);
  // Without walls everything a command does is done outside of them.
  const before = options.sandbox.enabled && !rehearsal ? beforeCommand(policy) : null;
  const undo = job.person ? null : await beginTransaction(config, permit.call.touches, state.cwd, policy.write, policy.outer, options.cwd);

  const { timeoutMs, signal, lent, streams, hear } = job;
  const how = {
    callId: permit.call.id,
    timeoutMs,
    signal,
    lent,
    streams,
    hear,
    user: options.user,
    outputBytes: config.max_output_bytes,
    tells,
    onReady: job.onReady,
  };
  const disturbance = await (isLifting ? swapGuard.disturbAlone(policy.write) : swapGuard.disturb(policy.write));
  if (disturbance === null) {
    await undo?.finish(-1, "by itself");
    throw new ToolError("permanent_failure", NOT_ALONE);
  }
  // What a dry run does is dropped, so it must not reach a command that is not. And another user may not enter a network of ours.
  const joined = open || rehearsal || options.user ? null : options.network?.join(found, policy);
  const place =
    (await joined?.catch(async (error) => {
      disturbance.none();
      await undo?.finish(-1, "by itself");
      throw error;
    })) ?? null;
  const clock = openCommandClock(timeoutMs);
  const asker = job.turn ? { command, permit, ctx: { turn: job.turn, signal }, hold: clock.hold } : null;
  const wayOut = beginWayOut(options.egress, place, policy, asker);
  const plan = { open, found, policy: wayOut.policy, argv, places, place };
  const done = await runCommand(plan, { ...how, clock })
    .catch(async (error) => {
      // Whether an editor has started it is not always known; then it counts as running on.
      if (!lent) disturbance.over(found.walls);
      // No exit code is known, so none undoes anything; what was saved goes.
      await undo?.finish(-1, "by itself");
      await wayOut.end(-1);
      throw error;
    })
    .finally(() => place?.leave());
  const { end, captured, complaints, spoken, walls, notes } = done;
  disturbance.over(walls);
  const { exitCode, ended } = commandEnd(end);
  const rollback = await undo?.finish(exitCode, ended);
  const after = tells ? readStateReport(spoken, { ...wayOut.policy.env }, permit.call.touches) : null;
  const next = after && nextState(after, policy, state);
  const reached = await wayOut.end(exitCode);
  const { env, home, day } = options.setting;
  const printed = complaints.trim() === "" ? captured.text : complaints;
  const closed = await reach.explain(printed);
  const hint =
    reached.hint ??
    (exitCode === 0 ? undefined : closed) ??
    wallHint(printed, exitCode, walls, existsSync, createHintFacts({ env, home, day, policy }));
  return {
    ran: {
      ...captured,
      exitCode,
      ...(end.signal && ended === "by itself" && { signal: end.signal }),
      ended,
      walls,
      ...(hint && { hint }),
      ...(reached.unanswered.length > 0 && { unanswered: reached.unanswered }),
      ...(rollback && { rollback }),
      notes: [
        ...notes,
        ...reached.notes,
        ...(closed !== undefined && hint !== closed ? [closed] : []),
        ...workdayNotes(options.setting.day, permit.call.touches, real, exitCode),
        ...policy.warnings,
        ...(undo?.notes ?? []),
        ...(next?.notes ?? []),
      ],
      ...(before && { later: await laterThanCommand(before, permit, streams, options.quarantine) }),
    },
    state: next?.state ?? null,
  };
}

/** A file that git replaces is another file, so the walls of commands that run would hold it no longer; and they could change what git brings. */
const NOT_ALONE =
  "Another command runs here, and this one may replace files that its walls hold. Nothing was started. End the other one or wait for it, then try again.";

/** Where a command looks for programs. The walls show them at their own places, so they can be looked for from here. */
async function lookupPath(options: ShellOptions, state: ShellState): Promise<string> {
  const { backend } = await options.probe();
  return (backend === "none" ? process.env.PATH : policyFor(options.sandbox, settingFor(options, state)).env.PATH) ?? "";
}
