import { ToolError } from "../../core/error.ts";
import type { BackgroundCommand, Look, Ran, Started } from "../../core/ports/shell.ts";
import { createUnread, type Unread } from "./unread.ts";

/** A background run that ended, for the next turn to hear of. */
export interface CompletedRun extends Started {
  readonly ran: Ran;
}

/** Runs that outlive the call that started them. Each is listed until someone heard how it ended; none is lost silently. */
export interface Background {
  /** The same runs as one of several owners has them: it sees its own alone. */
  of(owner: string | null): Background;
  /** `run` does the work until its signal says stop. `caller` is a name for the listener. */
  start(command: string, run: (stop: AbortSignal, hear: Unread["add"]) => Promise<Ran>, caller?: string): Started;
  list(): readonly (Started & { readonly newLines: number })[];
  /** What a run that goes on has printed since somebody looked last, line by line; null when it has ended. */
  read(runId: string): Required<Look> | null;
  /** What runs and what ended last, in the order they were started. */
  runs(): readonly BackgroundCommand[];
  /** Ends a run and waits for that. Its end is told like any other. */
  stop(runId: string): Promise<BackgroundCommand>;
  /** The listener is told of each run of any owner that starts and ends. */
  watch(listener: RunListener): void;
  wait(runId: string, ms: number, signal: AbortSignal): Promise<Ran | null>;
  kill(runId: string): Promise<Ran>;
  /** Hands over the runs that ended since it was last asked, oldest first; no more than that, and the others the next time. */
  takeCompletions(most?: number): readonly CompletedRun[];
  /** Runs that nobody has heard the end of, ended or not. */
  pending(): number;
  /** Runs that ended and that nobody was told of. */
  unheard(): number;
  /** Whether there is a run whose end nobody was told of. */
  hasEnded(): boolean;
  /** Resolves when a run has ended that nobody was told of, or when none is left, or when the signal says so. */
  ended(signal: AbortSignal): Promise<void>;
  /** Kills what still runs, whoever started it. */
  close(): Promise<void>;
}

/** Hears of a run that was started, or has ended. `caller` is the name that it was started with. */
type RunListener = (change: "started" | "ended", run: BackgroundCommand, caller: string | undefined) => void;

interface Running extends Started {
  readonly owner: string | null;
  readonly stop: AbortController;
  readonly ended: Promise<Ran>;
  readonly unread: Unread;
}

export function openBackground(most: number): Background {
  const running = new Map<string, Running>();
  /** Ended, and nobody was told yet. */
  const completed = new Map<string, CompletedRun & Pick<Running, "owner">>();
  /** Those of them whose output is held, oldest first, and how many characters that is. */
  const held = new Map<string, number>();
  let characters = 0;
  /** The last that ended, without their output, whether somebody heard of them or not. */
  const past: (BackgroundCommand & Pick<Running, "owner">)[] = [];
  const listeners: RunListener[] = [];
  let lastId = 0;

  const release = (runId: string) => {
    characters -= held.get(runId) ?? 0;
    held.delete(runId);
  };
  const forget = (runId: string) => {
    completed.delete(runId);
    release(runId);
  };
  /** Nobody may ever ask: of many that wait to be heard of, the output of the oldest is dropped, which is said in its place. */
  const keep = (done: CompletedRun & Pick<Running, "owner">) => {
    const size = done.ran.text.length + done.ran.stdout.length + done.ran.stderr.length;
    completed.set(done.runId, done);
    held.set(done.runId, size);
    characters += size;
    for (const oldest of held.keys()) {
      if ((characters <= MOST_HELD && held.size <= MOST_WHOLE) || oldest === done.runId) break;
      release(oldest);
      const { ran, ...rest } = completed.get(oldest)!;
      completed.set(oldest, {
        ...rest,
        command: rest.command.slice(0, 200),
        ran: { ...ran, text: NOT_HELD, stdout: "", stderr: "", truncated: true },
      });
    }
  };

  const find = (runId: string, owner: string | null): Promise<Ran> => {
    const isOwn = (run: Pick<Running, "owner"> | undefined) => run?.owner === owner;
    const done = completed.get(runId);
    if (done && isOwn(done)) return Promise.resolve(done.ran);
    const run = running.get(runId);
    if (run && isOwn(run)) return run.ended;
    const ended = past.find((one) => one.id === runId && isOwn(one));
    if (ended)
      throw new ToolError(
        "invalid_parameters",
        `${runId} has ended (exit code ${ended.exitCode ?? "unknown"}), and its output was given then.`,
      );
    const known = [...[...running].filter(([, run]) => isOwn(run)), ...[...completed].filter(([, run]) => isOwn(run))].map(([id]) => id);
    throw new ToolError(
      "invalid_parameters",
      `There is no background run ${runId}. ${known.length > 0 ? `Known: ${known.slice(0, MOST_NAMED).join(", ")}${known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : ""}.` : "None is running."}`,
    );
  };

  const close: Background["close"] = async () => {
    const all = [...running.values()];
    for (const { stop } of all) stop.abort();
    await Promise.allSettled(all.map(({ ended }) => ended));
  };
  const viewOf = (owner: string | null): Background => {
    const mine = <R extends Pick<Running, "owner">>(runs: Map<string, R>): R[] => [...runs.values()].filter((run) => run.owner === owner);
    return {
      of: viewOf,
      start(command, run, caller) {
        if (running.size >= most)
          throw new ToolError(
            "policy_blocked",
            `${running.size} background commands run already, and ${most} is the most (tools.shell.max_background_runs). Wait for one or kill one.`,
          );
        const stop = new AbortController();
        const started: Started = { runId: `bg${++lastId}`, command, startedAt: Date.now() };
        const unread = createUnread();
        const over = (state: BackgroundCommand["state"], exitCode?: number) => {
          running.delete(started.runId);
          const end = { ...shownRun(started), state, until: Date.now(), ...(exitCode !== undefined && { exitCode }) };
          past.push({ ...end, owner });
          if (past.length > MOST_PAST) past.shift();
          for (const listener of listeners) listener("ended", end, caller);
        };
        const ended = run(stop.signal, unread.add).then((whole) => {
          const wasLookedAt = unread.isLookedAt();
          // What was looked at is not told again.
          const ran = { ...whole, ...(wasLookedAt && { text: unread.takeRest() }), run: { command, wasLookedAt } };
          keep({ ...started, ran, owner });
          over(STATES[ran.ended], ran.exitCode);
          return ran;
        });
        // A run that fails to start is an outcome for whoever asks; until then it must not end the process.
        ended.catch(() => over("failed"));
        running.set(started.runId, { ...started, stop, ended, owner, unread });
        for (const listener of listeners) listener("started", shownRun(started), caller);
        return started;
      },
      runs: () =>
        [...past.filter((run) => run.owner === owner).map(({ owner: _owner, ...run }) => run), ...mine(running).map(shownRun)].sort(
          (a, b) => a.since - b.since,
        ),
      async stop(runId) {
        const run = running.get(runId);
        if (run?.owner === owner) {
          run.stop.abort();
          await run.ended.catch(() => {});
        }
        const found = this.runs().find(({ id }) => id === runId);
        if (found) return found;
        await find(runId, owner);
        throw new ToolError("invalid_parameters", `The background run ${runId} ended long ago.`);
      },
      watch: (listener) => void listeners.push(listener),
      read(runId) {
        const run = running.get(runId);
        return run?.owner === owner ? { command: run.command, ...run.unread.take() } : null;
      },
      list: () => mine(running).map(({ runId, command, startedAt, unread }) => ({ runId, command, startedAt, newLines: unread.lines() })),
      async wait(runId, ms, signal) {
        const ran = await untilDone(find(runId, owner), ms, signal);
        if (ran) forget(runId);
        return ran;
      },
      async kill(runId) {
        const ended = find(runId, owner);
        running.get(runId)?.stop.abort();
        const ran = await ended;
        forget(runId);
        return ran;
      },
      takeCompletions(most = Number.POSITIVE_INFINITY) {
        const taken = mine(completed).slice(0, most);
        for (const { runId } of taken) forget(runId);
        return taken.map(({ owner: _owner, ...run }) => run);
      },
      unheard: () => mine(completed).length,
      hasEnded: () => mine(completed).length > 0,
      pending: () => mine(running).length + mine(completed).length,
      async ended(signal) {
        const under = mine(running);
        if (mine(completed).length > 0 || under.length === 0 || signal.aborted) return;
        let stop = () => {};
        const stopped = new Promise<void>((resolve) => {
          stop = resolve;
          signal.addEventListener("abort", stop, { once: true });
        });
        await Promise.race([stopped, ...under.map(({ ended }) => ended.catch(() => {}))]);
        signal.removeEventListener("abort", stop);
      },
      close,
    };
  };
  return viewOf(null);
}

/** So many characters of output, of so many runs, wait until somebody hears of them. */
const MOST_HELD = 64 * 1024 * 1024;
const MOST_WHOLE = 1000;
const MOST_NAMED = 20;
/** So many that have ended are listed. */
const MOST_PAST = 50;
const STATES = { "by itself": "ended", cancelled: "killed", "time limit": "timed_out" } as const;

const shownRun = ({ runId, command, startedAt }: Started): BackgroundCommand => ({
  id: runId,
  command,
  since: startedAt,
  state: "running",
});

const NOT_HELD = "(its output was dropped: too many background commands have ended that nobody asked about)";

/** Null when the time is up first. */
function untilDone(work: Promise<Ran>, ms: number, signal: AbortSignal): Promise<Ran | null> {
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      settle();
    };
    const cancel = () => finish(() => reject(signal.reason));
    const timer = setTimeout(() => finish(() => resolve(null)), ms);
    signal.addEventListener("abort", cancel, { once: true });
    work.then(
      (ran) => finish(() => resolve(ran)),
      (error) => finish(() => reject(error)),
    );
  });
}
