import { readOwnText } from "../../files/own-file.ts";

export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** A user of this machine, as /etc/passwd has it. Throws where there is none, or this process may not act as it. */
export function findSystemUser(name: string): SystemUser {
  if (process.getuid?.() !== 0) throw new Error(`only root can start a process as ${name} (fleet.tenants)`);
  const lines = (readOwnText("/etc/passwd", { maxBytes: 4 << 20 }) ?? "").split("\n").map((line) => line.split(":"));
  const found = lines.find(([user]) => user === name);
  if (!found) throw new Error(`there is no user ${name} in /etc/passwd (fleet.tenants)`);
  const [, , uid, gid, , home] = found;
  return { name, uid: Number(uid), gid: Number(gid), home: home || "/" };
}
