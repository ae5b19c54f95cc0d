import childProcess from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { afterAll } from "vitest";

// A file of the project `unit` loads nothing of ours that starts a process or a server (test/projects.ts). Packages must not do it for it.
const STARTS = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"] as const;
const before = Object.fromEntries(STARTS.map((name) => [name, childProcess[name]]));
const listen = net.Server.prototype.listen;
const refuse = (): never => {
  throw new Error(
    "A test of the project unit starts no process and no server. Import what starts it, and the file belongs to the project process.",
  );
};

for (const name of STARTS) Object.assign(childProcess, { [name]: refuse });
net.Server.prototype.listen = refuse;
syncBuiltinESMExports();
afterAll(() => {
  Object.assign(childProcess, before);
  net.Server.prototype.listen = listen;
  syncBuiltinESMExports();
});
