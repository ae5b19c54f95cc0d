import type { ChildProcess } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "../../core/error.ts";
import type { Buffers } from "../../core/ports/editor.ts";
import type { Files, Search } from "../../core/ports/host.ts";
import { ownFile } from "../../files/own-place.ts";
import { startProgram } from "../../files/programs.ts";
import { abortAfter } from "../../text/abort.ts";
import type { KnownFiles } from "../files/known-files.ts";
import { createLeftovers } from "../files/leftovers.ts";
import { errorFrom, type HelperMessage, type HelperRequest, type HelperResult, type HelperSetup, plainError } from "./messages.ts";
import { reachableRipgrep } from "./reachable.ts";

export interface AsUserOptions extends Omit<HelperSetup, "buffers" | "ripgrep"> {
  /** A private folder of Zeph's own, where unfinished writes are noted. */
  readonly notes: string;
  readonly buffers?: Buffers | undefined;
  /** Told of every file as it was read or written. */
  readonly seen: KnownFiles;
}

export interface AsUser {
  readonly files: Files;
  readonly search: Search;
  close(): void;
}

/** The file tools as another user: what that user may not read or write, they may not either, and what they make is that user's. */
export function openFilesAsUser(options: AsUserOptions): AsUser {
  // Removes what a process that was killed left, as at every start.
  createLeftovers(options.notes);
  let helper: Promise<Helper> | null = null;
  let closed = false;
  const call = async (port: "files" | "search", act: string, args: readonly unknown[], signal?: AbortSignal): Promise<never> => {
    if (closed) throw new ToolError("cancelled", "The runtime was closed.");
    signal?.throwIfAborted();
    helper ??= startHelper(options, () => {
      helper = null;
    });
    const started = helper;
    const ready = await started.catch((error: unknown) => {
      helper = null;
      throw error;
    });
    return (await ready.call(port, act, args, signal)) as never;
  };
  return {
    files: {
      lines: (_permit, path, window, signal) => call("files", "lines", [path, window], signal),
      text: (_permit, path) => call("files", "text", [path]),
      write: (_permit, path, text) => call("files", "write", [path, text]),
      replace: (_permit, path, before, after) => call("files", "replace", [path, before, after]),
      list: (_permit, path) => call("files", "list", [path]),
      makeDirectory: (_permit, path) => call("files", "makeDirectory", [path]),
      remove: (_permit, path, signal) => call("files", "remove", [path], signal),
      move: (_permit, source, destination, signal) => call("files", "move", [source, destination], signal),
      copy: (_permit, source, destination, signal) => call("files", "copy", [source, destination], signal),
    },
    search: {
      grep: (_permit, query, signal) => call("search", "grep", [query], signal),
      find: (_permit, query, signal) => call("search", "find", [query], signal),
    },
    close() {
      closed = true;
      void helper?.then((one) => one.end()).catch(() => {});
    },
  };
}

interface Helper {
  call(port: "files" | "search", act: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
  end(): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Starts with the first call; a call after a crash starts another. Rejects when the helper cannot become that user or go there. */
async function startHelper(options: AsUserOptions, onGone: () => void): Promise<Helper> {
  const { user, cwd, home, file, keys, buffers } = options;
  const ripgrep = await reachableRipgrep(user);
  // Beside this file wherever it lies: in the library, in the command's bundle, and built there before tests.
  const child = startProgram(process.execPath, [fileURLToPath(ownFile(new URL("./files-child.js", import.meta.url)))], {
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  const waiting = new Map<number, Waiting>();
  let last = 0;
  const say = (request: HelperRequest) => void child.send(request, () => {});
  const gone = (why: string) => {
    onGone();
    ripgrep.remove();
    for (const { reject } of waiting.values()) reject(new ToolError("permanent_failure", why));
    waiting.clear();
  };
  const isReady = new Promise<void>((resolve, reject) => {
    const fail = (why: string) => reject(new ToolError("permanent_failure", `The file tools cannot run as ${user.name}: ${why}.`));
    child.once("error", ({ message }) => fail(message));
    child.once("exit", (code, signal) => {
      fail(`their process ended (${signal ?? code})`);
      gone(
        `The process of the file tools of ${user.name} ended (${signal ?? code}). What it was doing may be done in part; the next call starts another.`,
      );
    });
    child.on("message", (answer: HelperMessage) => {
      if (answer.kind === "ready") resolve();
      else if (answer.kind === "unable") fail(answer.why);
      else if (answer.kind === "done") {
        const one = waiting.get(answer.id);
        waiting.delete(answer.id);
        if (waiting.size === 0) rest(child);
        if (answer.ok) one?.resolve(answer.value);
        else one?.reject(errorFrom(answer.error));
      } else if (answer.kind === "buffer") void lend(answer, buffers).then((told) => say({ kind: "told", id: answer.id, ...told }));
      else if (answer.kind === "seen") remember(options.seen, answer);
      else note(options.notes, answer);
    });
  });
  isReady.catch(() => child.kill("SIGKILL"));
  const lent = { read: buffers?.read !== undefined, write: buffers?.write !== undefined };
  say({ kind: "setup", setup: { user, cwd, home, file, keys, buffers: lent, ripgrep: ripgrep.path } });
  await isReady;
  rest(child);
  return {
    call(port, act, args, signal) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        const cancel = () => say({ kind: "cancel", id });
        const settled =
          <T>(then: (value: T) => void) =>
          (value: T) => {
            signal?.removeEventListener("abort", cancel);
            then(value);
          };
        waiting.set(id, {
          resolve: settled(resolve),
          // What was cancelled failed because of that, whatever it says over there.
          reject: settled((error: Error) => reject(signal?.aborted ? signal.reason : error)),
        });
        signal?.addEventListener("abort", cancel, { once: true });
        child.ref();
        child.channel?.ref();
        say({ kind: "call", id, port, act, args });
      });
    },
    end: () => void child.disconnect(),
  };
}

/** Between two calls it keeps nobody's process alive. */
function rest(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** The editor's buffers are on this side. How long to wait for them is decided over there. */
async function lend(
  { act, path, text = "" }: Extract<HelperMessage, { kind: "buffer" }>,
  buffers: Buffers | undefined,
): Promise<HelperResult> {
  const until = abortAfter(LONGEST_LOAN_MS);
  try {
    return { ok: true, value: act === "read" ? await buffers?.read?.(path, until) : await buffers?.write?.(path, text, until) };
  } catch (error) {
    return { ok: false, error: plainError(error) };
  }
}
const LONGEST_LOAN_MS = 30_000;

function remember(seen: KnownFiles, { path, look }: Extract<HelperMessage, { kind: "seen" }>): void {
  if (!look) seen.forget(path);
  else seen.note(path, look, look.from === "buffer" ? "" : undefined);
}

/** In the form `leftovers` reads. */
function note(folder: string, answer: Extract<HelperMessage, { kind: "note" | "release" }>): void {
  const file = join(folder, `${process.pid}-${answer.id}`);
  try {
    if (answer.kind === "release") rmSync(file, { force: true });
    else {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, answer.path, { mode: 0o600 });
    }
  } catch {
    // A temporary file that nobody noted is one that may stay; the write itself is not to fail for it.
  }
}
