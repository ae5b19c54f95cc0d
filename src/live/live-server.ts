import { chmodSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import type { Question, ZephEvent } from "../core/event.ts";
import { version } from "../files/version.ts";
import { attempt } from "../text/attempt.ts";
import { type LiveAddress, listLive, makeLiveFolder, openOwnAddress } from "./live-folder.ts";
import { openWatcher, type Watcher } from "./live-watcher.ts";
import { type AnswerFromElsewhere, createQuestionBoard, type WaitingQuestion } from "./question-board.ts";
import { createRunRecord, type LiveRunFacts, type RunRecord } from "./run-record.ts";
import { shorten } from "./shorten-value.ts";
import type { LiveLine } from "./wire.ts";

/** The private socket of this process. */
export interface LiveServer {
  /** A runtime of this process begins to be seen. */
  join(facts: LiveRunFacts): LiveSeat;
  close(): void;
}

/** One runtime of the process. */
export interface LiveSeat {
  event(event: ZephEvent): void;
  /** `refusal`: why an answer cannot count. */
  ask(question: Question, refusal: (said: AnswerFromElsewhere) => string | null): WaitingQuestion;
  /** How many runtimes are left. */
  leave(): number;
}

/** Tells which process has connected, null where the system does not. `writable`: folders that commands can write. */
export type FindPeer = (
  connection: { readonly socket: Socket; readonly acceptedAt: number },
  writable: readonly string[],
) => Promise<{ readonly pid: number } | null>;

/** Who watches is a page, a terminal or two. */
const MOST_WATCHERS = 16;
const QUESTION_SIZE = { text: 400_000, all: 600_000 };

/** Opens the socket. Rejects where that is not possible. It keeps no process alive, and is removed when the process ends. */
export async function openLiveServer(folder: string, findPeer: FindPeer): Promise<LiveServer> {
  makeLiveFolder(folder);
  listLive(folder);
  const since = Date.now();
  const runs = new Map<number, { readonly record: RunRecord } & Pick<LiveRunFacts, "log" | "workspace">>();
  const watchers = new Set<Watcher>();
  let last = 0;
  /** The line is made only where somebody reads it. */
  const tell = (line: () => LiveLine) => {
    const hearing = [...watchers].filter((watcher) => watcher.isProven());
    if (hearing.length === 0) return;
    const text = `${JSON.stringify(line())}\n`;
    for (const watcher of hearing) watcher.send(text);
  };
  const board = createQuestionBoard({
    opened: (line) => tell(() => ({ type: "question", ...line() })),
    ended: (call_id, end) => tell(() => ({ type: "question_end", call_id, ...end })),
  });
  const welcome = (socket: Socket) => {
    if (watchers.size >= MOST_WATCHERS) return socket.destroy();
    const acceptedAt = performance.now();
    const watcher = openWatcher(socket, {
      folder,
      findPeer: () =>
        findPeer(
          { socket, acceptedAt },
          [...runs.values()].map(({ workspace }) => workspace),
        ),
      logs: () => [...new Set([...runs.values()].map(({ log }) => log))],
      hello: () => ({
        type: "hello",
        pid: process.pid,
        since,
        version: version(),
        runs: [...runs.values()].map(({ record }) => record.line()),
        questions: board.open(),
      }),
      answer: board.take,
      gone: () => watchers.delete(watcher),
    });
    watchers.add(watcher);
    return socket;
  };

  const address = openOwnAddress(folder);
  const server = createServer(welcome);
  await listening(server, address);
  server.on("error", () => {});
  server.unref();
  const remove = () => {
    address.close();
    for (const watcher of watchers) watcher.close();
  };
  process.once("exit", remove);
  return {
    join(facts) {
      const run = ++last;
      const record = createRunRecord(run, facts);
      runs.set(run, { record, log: facts.log, workspace: facts.workspace });
      tell(() => ({ type: "run", ...record.line() }));
      return {
        event(event) {
          if (record.take(event)) tell(() => ({ type: "run", ...record.line() }));
          if (isTold(event)) tell(() => ({ type: "event", run, at: Date.now(), event: record.shown(event) }));
        },
        ask: (question, refusal) => board.put({ question, run, refusal, show: () => questionFor(question, facts.redact) }),
        leave() {
          if (runs.delete(run)) tell(() => ({ type: "run_end", run }));
          return runs.size;
        },
      };
    },
    close() {
      process.off("exit", remove);
      server.close();
      remove();
    },
  };
}

/** Without secrets; null where it is too long to be shown whole. */
function questionFor(question: Question, redact: (text: string) => string): Question | null {
  const { value, isWhole } = shorten(question, { redact, most: QUESTION_SIZE });
  return isWhole ? (value as Question) : null;
}

/** What a model says comes in pieces, and a secret in two pieces is not recognised. How far a call has come is told too often. */
const isTold = ({ type }: ZephEvent): boolean => type !== "text" && type !== "thinking" && type !== "progress" && type !== "question";

function listening(server: Server, address: LiveAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      address.close();
      reject(error);
    };
    server.once("error", fail);
    server.listen(address.path, () => {
      server.off("error", fail);
      // Its folder is private already.
      if (process.platform !== "win32") attempt(() => chmodSync(address.path, 0o600), null);
      resolve();
    });
  });
}
