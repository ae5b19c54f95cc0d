import { type FSWatcher, watch } from "node:fs";
import { attempt } from "../text/attempt.ts";
import { type LiveConnection, openLiveConnection } from "./connect-live.ts";
import { listLive, makeLiveFolder } from "./live-folder.ts";
import type { AnswerLine, LiveLine, LiveQuestionLine, LiveRunLine } from "./wire.ts";

/** A running process, as it tells of itself. */
export interface LiveProcess {
  readonly pid: number;
  readonly since: number;
  readonly runs: ReadonlyMap<number, LiveRunLine>;
  readonly questions: ReadonlyMap<string, LiveQuestionLine>;
}

/** All running processes of a folder, those too that come later. */
export interface LiveFollower {
  processes(): readonly LiveProcess[];
  /** Resolves when everybody who was there at the beginning has said something, or is not going to. */
  ready(): Promise<void>;
  /** Null when the answer counts; otherwise why not. */
  answer(pid: number, line: AnswerLine): Promise<string | null>;
  close(): void;
}

export interface FollowerParts {
  readonly folder: string;
  /** Something changed, and what was said; null for a process that is gone. */
  changed(pid: number, line: LiveLine | null): void;
}

interface Followed {
  readonly connection: LiveConnection;
  readonly runs: Map<number, LiveRunLine>;
  readonly questions: Map<string, LiveQuestionLine>;
  /** Zero until it has said who it is. */
  since: number;
  readonly answers: Map<string, (why: string | null) => void>;
  /** It has spoken, or is gone. */
  readonly met: Promise<void>;
}

/** Where the system does not tell of new files, one is found after this long. */
const LOOK_MS = 2_000;
/** Whoever does not speak in this time hangs. */
const MEET_MS = 3_000;

export function openLiveFollower({ folder, changed }: FollowerParts): LiveFollower {
  const all = new Map<number, Followed>();
  /** Who has refused us is not asked again and again. */
  const refused = new Set<number>();
  let isClosed = false;
  const look = () => {
    if (isClosed) return;
    const now = listLive(folder);
    for (const pid of refused) if (!now.includes(pid)) refused.delete(pid);
    for (const pid of now) if (!all.has(pid) && !refused.has(pid) && pid !== process.pid) follow(pid);
  };
  const follow = (pid: number) => {
    let meet = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const connection = openLiveConnection({
      folder,
      pid,
      line(line) {
        if (line.type === "refused") refused.add(pid);
        take(one, line);
        meet();
        changed(pid, line);
      },
      gone() {
        all.delete(pid);
        for (const tell of one.answers.values()) tell(GONE);
        meet();
        if (one.since > 0) changed(pid, null);
      },
    });
    const one: Followed = { connection, runs: new Map(), questions: new Map(), since: 0, answers: new Map(), met };
    all.set(pid, one);
  };
  // Where nobody has listened yet there is no folder to watch.
  attempt(() => makeLiveFolder(folder), null);
  const watching = attempt((): FSWatcher | null => watch(folder, look), null);
  watching?.on("error", () => {});
  const timer = setInterval(look, LOOK_MS);
  look();
  return {
    processes: () => [...all].flatMap(([pid, { since, runs, questions }]) => (since === 0 ? [] : [{ pid, since, runs, questions }])),
    async ready() {
      let timer: NodeJS.Timeout | undefined;
      const enough = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, MEET_MS);
      });
      await Promise.race([Promise.all([...all.values()].map(({ met }) => met)), enough]);
      clearTimeout(timer);
    },
    answer(pid, line) {
      const one = all.get(pid);
      if (!one) return Promise.resolve(GONE);
      return new Promise((resolve) => {
        one.answers.get(line.call_id)?.(TWICE);
        one.answers.set(line.call_id, resolve);
        one.connection.answer(line);
      });
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      watching?.close();
      for (const { connection } of all.values()) connection.close();
    },
  };
}

const GONE = "The process that asked has ended, so the answer reached nobody.";
const TWICE = "Another answer was given a moment ago.";

/** What a line changes of what is known. */
function take(one: Followed, line: LiveLine): void {
  switch (line.type) {
    case "hello":
      one.since = line.since;
      for (const run of line.runs) one.runs.set(run.run, run);
      for (const question of line.questions) one.questions.set(question.call_id, question);
      return;
    case "run":
      one.runs.set(line.run, line);
      return;
    case "run_end":
      one.runs.delete(line.run);
      return;
    case "question":
      one.questions.set(line.call_id, line);
      return;
    case "question_end":
      one.questions.delete(line.call_id);
      return;
    case "event":
      takeEvent(one, line);
      return;
    case "answer_taken":
    case "answer_refused":
      one.answers.get(line.call_id)?.(line.type === "answer_taken" ? null : line.why);
      one.answers.delete(line.call_id);
      return;
    default:
  }
}

/** Calls that begin and end. */
function takeEvent(one: Followed, { run, at, event }: Extract<LiveLine, { type: "event" }>): void {
  const known = one.runs.get(run);
  const { type, call_id, tool, args } = event;
  if (!known || typeof call_id !== "string" || (type !== "tool_start" && type !== "tool_end")) return;
  const others = known.calls.filter((call) => call.call_id !== call_id);
  const calls = type === "tool_start" ? [...others, { call_id, tool: String(tool), args, since: at }] : others;
  one.runs.set(run, { ...known, calls });
}
