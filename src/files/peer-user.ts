import { readFileSync } from "node:fs";
import { attempt } from "../text/attempt.ts";
import type { ConnectionPorts } from "./agent-process.ts";

/**
 * The users whose processes hold the other end of a connection of this machine. It is Linux that tells it: null elsewhere. Empty: the other end
 * has left already.
 */
export function peerUsers({ localPort, remotePort }: ConnectionPorts): readonly number[] | null {
  if (process.platform !== "linux") return null;
  const [, ...lines] = attempt(() => readFileSync("/proc/net/tcp", "latin1"), "").split("\n");
  return lines.flatMap((line) => {
    const [, local = "", remote = "", , , , , user = "", , inode] = line.trim().split(/\s+/);
    // A connection that is being closed belongs to nobody.
    if (inode === "0" || portOf(local) !== remotePort || portOf(remote) !== localPort) return [];
    return [Number(user)];
  });
}

const portOf = (address: string): number => Number.parseInt(address.slice(address.lastIndexOf(":") + 1), 16);
