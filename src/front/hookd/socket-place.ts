import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { attempt } from "../../text/attempt.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Where the socket lies. native/zeph-hook.c and bin/hook-client.cjs look for it in the same way. */
export function hookdFolder(env: Variables, home: string): string {
  const runtime = env.XDG_RUNTIME_DIR;
  if (runtime && isAbsolute(runtime) && isOwn(runtime)) return join(runtime, "zeph");
  const state = env.XDG_STATE_HOME;
  return join(state && isAbsolute(state) ? state : join(home, ".local", "state"), "zeph", "hook");
}

const isOwn = (folder: string): boolean =>
  attempt(() => {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.();
  }, false);

/** Makes the folder private. Throws where it is not this user's own. */
export function makeHookdFolder(folder: string): void {
  attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }), undefined);
  if (!isOwn(folder)) throw new Error(`${folder} is no folder of this user.`);
  if ((lstatSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** A place in the folder for a socket that is not the one everybody asks yet. */
export interface SocketPlace {
  /** Short enough for an address, however long the folder's path is. */
  readonly address: string;
  /** From now on everybody asks here. */
  take(): void;
  /** Whether everybody still does. */
  isTaken(): boolean;
  close(): void;
}

/** Nobody ever finds a place without a listener behind it: a socket takes its name when it listens, and another one may take it over at once. */
export function openSocketPlace(folder: string): SocketPlace {
  const name = `hook-${process.pid}.sock`;
  const fd = openSync(folder, "r");
  const draft = join(folder, name);
  const final = join(folder, "hook.sock");
  rmSync(draft, { force: true });
  let own = "";
  const idOf = (path: string) =>
    attempt(() => {
      const { dev, ino } = lstatSync(path, { bigint: true });
      return `${dev} ${ino}`;
    }, "");
  const isTaken = () => own !== "" && idOf(final) === own;
  return {
    address: Buffer.byteLength(draft) <= LONGEST_ADDRESS ? draft : `/proc/self/fd/${fd}/${name}`,
    take() {
      chmodSync(draft, 0o600);
      own = idOf(draft);
      renameSync(draft, final);
    },
    isTaken,
    close() {
      if (isTaken()) attempt(() => rmSync(final, { force: true }), undefined);
      attempt(() => rmSync(draft, { force: true }), undefined);
      closeSync(fd);
    },
  };
}

/** The system takes 108 bytes on Linux and 104 elsewhere, with a zero behind them. */
const LONGEST_ADDRESS = 100;
