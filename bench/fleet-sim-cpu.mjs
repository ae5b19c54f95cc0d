// Processor times of Linux: of a PostgreSQL server, of this process, of the whole machine.
import { readdirSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

/** All processes of a server. `look` again after connections were made. */
export function createServerMeter(server) {
  const postmaster = readFileSync(join(server.folder, "data", "postmaster.pid"), "utf8").split("\n")[0];
  const children = () =>
    readdirSync("/proc").filter(
      (name) => /^\d+$/.test(name) && read(`/proc/${name}/stat`).split(") ").at(-1)?.split(" ")[1] === postmaster,
    );
  let known = children();
  return {
    look() {
      known = children();
    },
    busyMs: () => known.reduce((sum, pid) => sum + Number(read(`/proc/${pid}/schedstat`).split(" ")[0]) / 1e6, 0),
  };
}

export function ownBusyMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What all processors of the machine have worked, whoever for. */
export const machineBusyMs = () => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);

/** Empty where the process has ended meanwhile. */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
