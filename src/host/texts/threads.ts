import { ToolError } from "../../core/error.ts";
import type { Texts, Worked } from "../../core/ports/texts.ts";
import { createPace } from "../../text/pace.ts";
import { openThread, type Thread, type ThreadLimits, type ThreadWire } from "../thread.ts";
import { cutPieces, joinPieces, type TextPiece } from "./pieces.ts";
import type { TextReply } from "./serve.ts";

const LIMITS: ThreadLimits = { timeMs: 120_000, memoryMb: 1024, idleMs: 60_000, jobs: 200, waiting: 64 };
/** One that takes long does not keep the next one waiting. */
const MOST_THREADS = 2;

const WORDS = {
  closed: "the runtime was closed",
  full: "too many long texts are waiting to be read",
  noStart: "the thread that reads long texts does not start",
  outOfMemory: "reading the text takes more memory than it may",
  crashed: "the thread that reads long texts broke down over it",
};

interface Pool {
  readonly threads: Thread[];
  users: number;
}
/** All runtimes of a process share their threads; whoever closes last ends them. */
const POOLS = new Map<string, Pool>();

/** `file` is the thread's code. No thread is started before there is something to do. */
export function openTexts(file: URL, limits: Partial<ThreadLimits> = {}): Texts {
  const key = `${file} ${JSON.stringify(limits)}`;
  const pool = POOLS.get(key) ?? { threads: [], users: 0 };
  POOLS.set(key, pool);
  pool.users++;
  const all = { ...LIMITS, ...limits };
  const slow = `reading the text took longer than ${all.timeMs / 1000} s`;
  let isOpen = true;
  const free = (): Thread => {
    const idle = pool.threads.find(({ busy }) => busy === 0);
    if (idle) return idle;
    if (pool.threads.length < MOST_THREADS) pool.threads.push(openThread(file, all, WORDS));
    return pool.threads.reduce((a, b) => (b.busy < a.busy ? b : a));
  };
  return {
    async work(job, texts, signal) {
      if (!isOpen) throw new ToolError("cancelled", WORDS.closed);
      return free().run((wire) => talk(wire, job, texts), slow, signal);
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      if (--pool.users > 0) return;
      POOLS.delete(key);
      await Promise.all(pool.threads.map((thread) => thread.close()));
    },
  };
}

/** Each piece waits until the one before was taken: in between, others have their turn, here and there. */
async function talk({ post, next }: ThreadWire, job: object, texts: readonly string[]): Promise<Worked> {
  const pace = createPace();
  post({ job });
  for (const piece of cutPieces(texts)) {
    await next();
    await pace.step();
    post({ piece }, piece.lengths && [piece.lengths.buffer]);
  }
  const reply = (await next()) as TextReply;
  if (typeof reply === "object" && "failed" in reply) throw new ToolError("permanent_failure", reply.failed);
  const { answer } = reply as { answer: unknown };
  const pieces: TextPiece[] = [];
  do {
    await pace.step();
    post("more");
    pieces.push(((await next()) as { piece: TextPiece }).piece);
  } while (!pieces.at(-1)!.last);
  return { answer, texts: await joinPieces(pieces) };
}
