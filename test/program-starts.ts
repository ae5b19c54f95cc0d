/**
 * Every file of `src/` that may import Node's modules for processes and threads: which names, and why. Everybody else starts programs through
 * `src/files/programs.ts`, which looks where they lie.
 */
export const STARTERS: Readonly<Record<string, readonly [names: readonly string[], why: string]>> = {
  "src/files/programs.ts": [["execFile", "execFileSync", "spawn"], "the one that starts programs"],
  "src/host/sandbox/fed-launch.ts": [
    ["spawn"],
    "the line of a command: what builds its walls was looked up by probe.ts, the rest is the command's own",
  ],
  "src/host/ask-peer.ts": [["spawn"], "zeph-peer, whose place and hash shipped.ts has looked at"],
  "src/host/sandbox/launcher/launcher.ts": [["spawn"], "zeph-run, whose place and hash shipped.ts has looked at"],
  "src/host/sandbox/probe.ts": [
    ["execFile"],
    "asks the program that builds walls, found in no folder that commands may write, and tries it",
  ],
  "src/host/thread.ts": [["import()"], "threads, with files of the package"],
  "src/host/html/html-worker.ts": [["parentPort"], "is a thread"],
  "src/host/texts/serve.ts": [["parentPort"], "is a thread"],
};

export const isStartModule = (spec: string): boolean => /^(?:node:)?(?:child_process|worker_threads|cluster)$/.test(spec);

/** Why a file may not import this name from them; null where it may. No name is the whole module. */
export const mayStart = (file: string, name: string | null): string[] | null => {
  const names = STARTERS[file]?.[0] ?? [];
  return name !== null && names.includes(name) ? null : [`may not start programs: ${name ?? "the whole module"}`];
};
