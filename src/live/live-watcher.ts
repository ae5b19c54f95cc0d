import type { Socket } from "node:net";
import { isAnswer } from "../core/event.ts";
import { attempt } from "../text/attempt.ts";
import { record } from "../text/json.ts";
import { JsonLines } from "../text/json-lines.ts";
import { oneLine, visible } from "../text/visible.ts";
import { openChallenge, type PeerChallenge } from "./peer-proof.ts";
import { type AnswerLine, type LiveLine, LONGEST_REQUEST } from "./wire.ts";
import { refusalHere } from "./without-walls.ts";

/** A process that watches this one, from its connection to its end. */
export interface Watcher {
  /** It has shown that it may hear. */
  isProven(): boolean;
  /** Never waits: who reads too slowly is cut off. */
  send(text: string): void;
  close(): void;
}

export interface WatcherParts {
  readonly folder: string;
  /** The audit logs of this process. */
  logs(): readonly string[];
  /** The process at the other end as the system tells it; null where it does not. */
  findPeer(): Promise<{ readonly pid: number } | null>;
  hello(): LiveLine;
  /** Null when the answer counts; otherwise why not. */
  answer(line: AnswerLine): string | null;
  gone(): void;
}

/** Whoever watches reads a line in less time than this. */
const MOST_UNREAD = 4 * 1024 * 1024;
/** Who opens no file in this time does not want to. */
const PROOF_MS = 10_000;
const LONGEST_NAME = 80;
const LONGEST_REASON = 2_000;

export function openWatcher(socket: Socket, { folder, logs, findPeer, hello, answer, gone }: WatcherParts): Watcher {
  const lines = new JsonLines(LONGEST_REQUEST);
  let challenge: PeerChallenge | null = null;
  let isProven = false;
  let peer: number | null = null;
  const close = () => socket.destroy();
  const late = setTimeout(close, PROOF_MS);
  late.unref();
  const send = (text: string) => {
    if (socket.destroyed) return;
    socket.write(text);
    if (socket.writableLength > MOST_UNREAD) close();
  };
  const say = (line: LiveLine) => send(`${JSON.stringify(line)}\n`);
  const prove = (line: Readonly<Record<string, unknown>>) => {
    const { pid, text } = line;
    const why =
      challenge && typeof pid === "number" && Number.isSafeInteger(pid) && pid > 0 && typeof text === "string"
        ? challenge.refusal({ pid, text }, peer)
        : "The process did not show which one it is.";
    clearTimeout(late);
    challenge?.close();
    if (why !== null) {
      say({ type: "refused", why });
      socket.end();
      return;
    }
    isProven = true;
    say(hello());
  };
  const ask = async () => {
    peer = (await findPeer().catch(() => null))?.pid ?? null;
    if (socket.destroyed) return;
    challenge = attempt(() => openChallenge({ folder, logs }), null);
    if (challenge) say({ type: "prove", file: challenge.file });
    else close();
  };
  const take = (text: string) => {
    const line = record(attempt(() => JSON.parse(text) as unknown, null));
    if (!isProven) return prove(line);
    const said = answerIn(line);
    if (!said) return close();
    const why = refusalHere(folder, peer) ?? answer(said);
    say(why === null ? { type: "answer_taken", call_id: said.call_id } : { type: "answer_refused", call_id: said.call_id, why });
  };
  socket.unref();
  socket.on("error", close);
  socket.once("close", () => {
    clearTimeout(late);
    challenge?.close();
    gone();
  });
  socket.on("data", (chunk: Buffer) => {
    for (const line of lines.read(chunk)) {
      if (socket.destroyed || socket.writableEnded) return;
      if ("tooLong" in line) close();
      else take(line.text);
    }
  });
  void ask();
  return { isProven: () => isProven && !socket.destroyed, send, close };
}

/** Null for what is no answer. */
function answerIn({ answer, call_id, by, reason, where }: Readonly<Record<string, unknown>>): AnswerLine | null {
  if (!isAnswer(answer) || typeof call_id !== "string" || typeof by !== "string") return null;
  const name = shownName(by);
  if (name === "") return null;
  const why = typeof reason === "string" && reason.trim() !== "" ? { reason: reason.slice(0, LONGEST_REASON).toWellFormed() } : {};
  return {
    answer,
    call_id,
    by: name,
    ...why,
    where: typeof where === "string" && shownName(where) !== "" ? shownName(where) : "another process",
  };
}

const shownName = (text: string): string => oneLine(visible(text), LONGEST_NAME);
