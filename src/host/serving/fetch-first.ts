import { ToolError } from "../../core/error.ts";
import { fetchesPackage } from "../../core/package-runner.ts";
import type { Serve, Served, ServedEnd, ServedProgram } from "../../core/ports/served.ts";
import { emptyPackages, type FoldersFor, isFetched, type KeptFolders, markFetched } from "./server-folders.ts";
import { assertNotLarge, measureKept } from "./server-size.ts";

/** How long packages may take to come. */
const LONGEST_MS = 5 * 60_000;

/**
 * Starts a program. One whose packages are not there yet is started twice: first where it can reach the registries and nothing of the person's,
 * until it answers; then as it was agreed, with a closed network. So nothing that comes from a registry ever has both.
 */
export const createFetchFirst =
  (start: (program: ServedProgram, purpose: "serve" | "fetch") => Promise<Served>, keptFor: FoldersFor): Serve =>
  async (program) => {
    const kept = keptFor(program);
    if (kept) await assertNotLarge(kept, program.argv[0]);
    if (program.network !== "install") return measured(await fetchingItself(program, kept, start), kept);
    if (kept === null)
      throw new ToolError(
        "policy_blocked",
        `No folder can be kept for the packages of ${program.argv[0]} here, so they cannot be fetched first. Give network = true, or install it and name its file.`,
      );
    const missed = isFetched(kept) ? null : await fetched(kept, () => start(program, "fetch"), program.greeting ?? "");
    return measured(settling(await start(program, "serve"), kept, missed), kept);
  };

/** With a network a package is fetched by the program itself, and nobody else sees when that is done: what says something is there. */
async function fetchingItself(
  program: ServedProgram,
  kept: KeptFolders | null,
  start: (program: ServedProgram, purpose: "serve") => Promise<Served>,
): Promise<Served> {
  const served = await start(program, "serve");
  const [command, ...args] = program.argv;
  if (kept === null || program.network === "closed" || !fetchesPackage(command, args)) return served;
  // Another mark than that of packages which nothing but a registry has touched.
  const own = { ...kept, fetched: `${kept.fetched}-by-itself` };
  return isFetched(own) ? served : Object.assign(settling(served, own, null), { fetchMs: LONGEST_MS });
}

function measured(served: Served, kept: KeptFolders | null): Served {
  if (kept) void served.ended.then(() => measureKept(kept));
  return served;
}

/** Null when it answered; else how it ended. That need not mean that anything is missing: it may want what it is only given later. */
async function fetched(kept: KeptFolders, start: () => Promise<Served>, greeting: string): Promise<ServedEnd | null> {
  emptyPackages(kept);
  const served = await start();
  let timer: NodeJS.Timeout | undefined;
  try {
    const answered = new Promise<null>((resolve) => {
      served.onOutput = () => resolve(null);
    });
    const late = new Promise<ServedEnd>((resolve) => {
      const said = `Its packages did not come within ${LONGEST_MS / 60_000} minutes.`;
      timer = setTimeout(() => resolve({ exitCode: null, said }), LONGEST_MS).unref();
    });
    await served.write(greeting).catch(() => {});
    const end = await Promise.race([answered, served.ended, late]);
    if (end === null) markFetched(kept);
    return end;
  } finally {
    clearTimeout(timer);
    await served.stop();
  }
}

/** It is all there once it says something. Where it ends instead because something could not be fetched, what was said while fetching is the reason. */
function settling(served: Served, kept: KeptFolders, missed: ServedEnd | null): Served {
  let hasSpoken = false;
  const hear = (listener: Served["onOutput"]) => (chunk: Uint8Array) => {
    if (!hasSpoken) markFetched(kept);
    hasSpoken = true;
    listener(chunk);
  };
  let listener: Served["onOutput"] = () => {};
  return {
    walls: served.walls,
    pid: served.pid,
    get onOutput() {
      return listener;
    },
    set onOutput(next) {
      listener = next;
      served.onOutput = hear(next);
    },
    write: (bytes) => served.write(bytes),
    ended: served.ended.then((end) => {
      if (hasSpoken) return end;
      if (OFFLINE.test(end.said)) return missed === null ? end : { ...end, said: missed.said };
      // It ended for a reason of its own, so it was there.
      if (end.exitCode !== null) markFetched(kept);
      return end;
    }),
    ...(served.look && { look: served.look }),
    stop: () => served.stop(),
  };
}

/** What package managers say where they may not ask a registry. */
const OFFLINE = /ENOTCACHED|only-if-cached|offline|network (?:was|is) disabled|No matching distribution/i;
