import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What a consumer does: runs programs in its folder, and looks at what they say. */
export function createRunner(folder, base) {
  const cwd = fileURLToPath(folder);
  const start = (argv, env = {}) => spawn(argv[0], argv.slice(1), { cwd, env: { ...process.env, ...QUIET, ...env } });
  const run = (argv, { env, expects } = {}) =>
    new Promise((done, fail) => {
      const child = start(argv, env);
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += chunk));
      child.on("error", fail);
      child.on("close", (code) => {
        const why = code !== 0 ? `ended with ${code}` : expects && !said.includes(expects) ? `did not say "${expects}"` : null;
        if (why) fail(new Error(`${argv.join(" ")} ${why}\n${said}`));
        else done(said);
      });
    });
  return {
    cwd,
    base,
    start,
    run,
    /** A program of Node. */
    node: (args, options) => run([process.execPath, ...args], options),
    /** What starts a package, and a file of one. */
    bin: (name) => join(base, "node_modules", ".bin", name),
    file: (name) => join(base, "node_modules", name),
    write: (name, text) => writeFileSync(join(cwd, name), text),
  };
}

/** Nothing of this is told to anybody. */
const QUIET = { NEXT_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1", NO_COLOR: "1" };
