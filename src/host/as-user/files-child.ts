import { randomUUID } from "node:crypto";
import { ToolError } from "../../core/error.ts";
import type { Buffers } from "../../core/ports/editor.ts";
import type { Files, Search } from "../../core/ports/host.ts";
import { NEVER } from "../../core/tool.ts";
import { createLocalFiles } from "../files/files.ts";
import { createKnownFiles, type KnownFiles } from "../files/known-files.ts";
import type { Leftovers } from "../files/leftovers.ts";
import { createPathRules } from "../files/paths.ts";
import { swapGuard } from "../files/swap-guard.ts";
import { setRipgrepPath } from "../search/ripgrep.ts";
import { createLocalSearch } from "../search/search.ts";
import { errorFrom, type HelperMessage, type HelperRequest, type HelperResult, type HelperSetup, plainError } from "./messages.ts";

/**
 * The file tools under another user: a program of its own that starts as root, has all its code before it gives that up for good, and then does
 * what it is asked through the same code, with the same rules, as everybody else's file tools. It ends with the process that started it.
 */
type Act = (...args: unknown[]) => Promise<unknown>;
let ports: { readonly files: Files; readonly search: Search } | null = null;
const running = new Map<number, AbortController>();
const asked = new Map<number, (told: HelperResult) => void>();
let lastAsked = 0;

const send = (answer: HelperMessage): void => void process.send?.(answer);

process.on("disconnect", () => process.exit(0));
process.on("message", (request: HelperRequest) => {
  if (request.kind === "setup") begin(request.setup);
  else if (request.kind === "call") void carryOut(request);
  else if (request.kind === "cancel") running.get(request.id)?.abort();
  else {
    asked.get(request.id)?.(request);
    asked.delete(request.id);
  }
});

function begin({ user, cwd, home, file, keys, buffers, ripgrep }: HelperSetup): void {
  try {
    become(user.name, user.uid, user.gid);
    setRipgrepPath(ripgrep);
    const rules = createPathRules(cwd, file, home, keys);
    ports = { files: createLocalFiles(rules, notedElsewhere, lentBy(buffers), swapGuard, toldSeen()), search: createLocalSearch(rules) };
    send({ kind: "ready" });
  } catch (error) {
    send({ kind: "unable", why: (error as Error).message });
  }
}

/** With all the user's groups, and no way back. */
function become(name: string, uid: number, gid: number): void {
  (process as NodeJS.Process & { initgroups?(user: string, group: number): void }).initgroups?.(name, gid);
  process.setgid?.(gid);
  process.setuid?.(uid);
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid || process.getegid?.() !== gid)
    throw new Error(`the file tools could not become ${name}`);
  process.umask(0o022);
}

async function carryOut({ id, port, act, args }: Extract<HelperRequest, { kind: "call" }>): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    const table = ports?.[port] as unknown as Record<string, Act> | undefined;
    if (!table || !Object.hasOwn(table, act)) throw new ToolError("permanent_failure", "The file tools of that user are not ready.");
    // The permit was checked where the call came from; nothing here looks at it.
    send({ kind: "done", id, ok: true, value: await table[act]!(null, ...args, stop.signal) });
  } catch (error) {
    send({ kind: "done", id, ok: false, error: plainError(error) });
  } finally {
    running.delete(id);
  }
}

/** Zeph's own folder is not this user's, so what is unfinished is noted by the process that may write there. */
const notedElsewhere: Leftovers = {
  reserve(directory) {
    const id = randomUUID();
    const name = `.zeph-${id}.tmp`;
    send({ kind: "note", id, path: `${directory}/${name}` });
    return { name, release: () => send({ kind: "release", id }) };
  },
};

/** Gates ask on the other side whether a file is still what it was. */
function toldSeen(): KnownFiles {
  const seen = createKnownFiles();
  return {
    ...seen,
    note(path, stats, text) {
      seen.note(path, stats, text);
      const { dev, ino, size, mtimeMs } = stats;
      send({ kind: "seen", path, look: { dev, ino, size, mtimeMs, from: text === undefined ? "disk" : "buffer" } });
    },
    forget(path) {
      seen.forget(path);
      send({ kind: "seen", path });
    },
  };
}

function lentBy({ read, write }: HelperSetup["buffers"]): Buffers | undefined {
  if (!read && !write) return undefined;
  const ask = (act: "read" | "write", path: string, signal: AbortSignal = NEVER, text?: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++lastAsked;
      asked.set(id, (told) => (told.ok ? resolve(told.value) : reject(errorFrom(told.error))));
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      send({ kind: "buffer", id, act, path, ...(text !== undefined && { text }) });
    });
  return {
    ...(read && { read: async (path: string, signal: AbortSignal) => (await ask("read", path, signal)) as string }),
    ...(write && { write: async (path: string, text: string, signal: AbortSignal) => void (await ask("write", path, signal, text)) }),
  };
}
