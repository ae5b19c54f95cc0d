import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { isBelowAgent, isInsideCommand, processesAbove } from "../files/agent-process.ts";
import { attempt } from "../text/attempt.ts";
import type { ProofLine } from "./wire.ts";

/** A private file that tells who is on the other side of a socket: whoever has it open, and says so, is who they say. */
export interface PeerChallenge {
  /** Its name in the folder of the sockets. */
  readonly file: string;
  /** Null for a process that may hear and answer; otherwise why not. `peer` is the one that the system tells, null where it does not. */
  refusal(proof: ProofLine, peer: number | null): string | null;
  close(): void;
}

export interface ProofParts {
  readonly folder: string;
  /** The audit logs of the agents that ask. */
  logs(): readonly string[];
}

/**
 * Where the system tells which process has connected, that one counts. Besides, it opens a file for writing that only this socket named to it, and Linux tells
 * whether it has: another program can be made to hold the file, so that alone says little. Elsewhere the text of the file has to do: then it is a process of
 * this user, and no more is known.
 */
export function openChallenge({ folder, logs }: ProofParts): PeerChallenge {
  const text = randomBytes(32).toString("hex");
  const file = `${process.pid}-${randomBytes(16).toString("hex")}.proof`;
  const fd = openSync(join(folder, file), constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  writeSync(fd, text);
  // It stays open: the number of a file that is gone may be given to another one.
  const { dev, ino } = fstatSync(fd);
  let isOpen = true;
  return {
    file,
    refusal(proof, peer) {
      if (proof.text !== text || (peer !== null && proof.pid !== peer)) return NOT_SHOWN;
      if (process.platform !== "linux") return null;
      if (proof.pid === process.pid || !holdsFile(proof.pid, { dev, ino })) return NOT_SHOWN;
      return isInsideCommand(proof.pid) || isBelowAnyAgent(proof.pid, { folder, logs }) ? BELOW_AGENT : null;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      attempt(() => rmSync(join(folder, file), { force: true }), null);
      closeSync(fd);
    },
  };
}

/**
 * Whether a process is an agent itself, or was started by one, of whatever log: each that listens here is one, and so is whoever has this log open.
 * What asks in place of a person is refused, too, when it is a server for another program.
 */
export function isBelowAnyAgent(pid: number, { folder, logs }: ProofParts): boolean {
  return (
    logs().some((log) => isBelowAgent(pid, log)) || listens(folder, pid) || processesAbove(pid).some((above) => listens(folder, above))
  );
}

/** What a killed agent left behind does not make an agent of the process that has its number now. */
const listens = (folder: string, pid: number): boolean =>
  ["sock", "at"].some((end) => attempt(() => lstatSync(join(folder, `${pid}.${end}`)), null) !== null) && holdsSocket(pid, `${pid}.sock`);

/** Whether it has a socket open whose file has this name, wherever it lies. One that cannot be looked at may have. */
function holdsSocket(pid: number, name: string): boolean {
  if (process.platform !== "linux") return true;
  const open = attempt(() => readdirSync(`/proc/${pid}/fd`), null);
  // Its own table: it may have a network of its own.
  const table = attempt(() => readFileSync(`/proc/${pid}/net/unix`, "utf8"), null);
  if (open === null || table === null) return true;
  const sockets = new Set(open.map((fd) => attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`), "")));
  return table.split("\n").some((line) => line.endsWith(`/${name}`) && sockets.has(`socket:[${line.trim().split(/\s+/)[6]}]`));
}

const NOT_SHOWN = "The process did not show which one it is.";
const BELOW_AGENT = "The process was started by an agent, and only a person may watch or answer here.";

interface FileNumber {
  readonly dev: number;
  readonly ino: number;
}

/** For writing: whatever reads new files of a folder, as a search index does, has not meant it. */
function holdsFile(pid: number, { dev, ino }: FileNumber): boolean {
  const folder = `/proc/${pid}/fd`;
  return attempt(() => readdirSync(folder), []).some((name) => {
    const found = attempt(() => statSync(join(folder, name)), null);
    return found?.dev === dev && found.ino === ino && (attempt(() => lstatSync(join(folder, name)).mode, 0) & 0o200) !== 0;
  });
}
