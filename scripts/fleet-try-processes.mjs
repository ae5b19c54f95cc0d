// Processes of `npm run fleet:try`: each is ended by its own id, whatever happens.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../bin/zeph.cjs", import.meta.url));

/** `zeph`, with folders of its own below `folder`. */
export function createTryProcesses(folder, environment) {
  const started = new Set();
  const begin = (args, name) => {
    const home = join(folder, name);
    const temporary = join(folder, "tmp");
    for (const one of [home, temporary]) mkdirSync(one, { recursive: true });
    const bare = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith("ZEPH_") && !key.startsWith("XDG_")));
    const child = spawn(process.execPath, [program, ...args], {
      cwd: home,
      env: { ...bare, HOME: home, TMPDIR: temporary, XDG_CONFIG_HOME: join(folder, "config"), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      // Ctrl-C is for this script, which ends them in its own order.
      detached: true,
    });
    started.add(child.pid);
    const said = { out: "", err: "" };
    child.stdout.on("data", (data) => (said.out += data));
    child.stderr.on("data", (data) => (said.err = (said.err + data).slice(-20_000)));
    const ended = new Promise((resolve) =>
      child.on("close", (code, signal) => {
        started.delete(child.pid);
        resolve({ code: code ?? signal, ...said });
      }),
    );
    return {
      name,
      said,
      ended,
      lose: () => endTree(child.pid),
      isRunning: () => child.exitCode === null && child.signalCode === null,
    };
  };
  return {
    /** A command that ends. */
    async run(...args) {
      const { code, out, err } = await begin(args, "desk").ended;
      return { code, out, err };
    },
    start: (name, ...args) => begin(args, name),
    endAll() {
      for (const pid of started) endTree(pid);
    },
  };
}

/** A process and all that it started, at once: as when a machine loses its power. Children first, so that none of them notices and puts things in order. */
function endTree(pid) {
  for (const one of [...childrenOf(pid), pid]) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      // It is gone.
    }
  }
}

function childrenOf(pid) {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(name)]);
  const below = (one) => parents.filter(([, parent]) => parent === one).flatMap(([child]) => [...below(child), child]);
  return below(pid);
}

function parentOf(name) {
  try {
    // The name of the program is in brackets and may hold anything.
    return Number(readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);
  } catch {
    return 0;
  }
}
