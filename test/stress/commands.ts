// Runs as a process of its own and is killed by a test: starts commands behind the walls, again and again, four at a time.

import { openSessionNetwork } from "../../src/host/network/session-network.ts";
import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import { policyFor } from "../../src/host/sandbox/policy.ts";
import { probe } from "../../src/host/sandbox/probe.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import type { FindShipped } from "../../src/host/sandbox/shipped.ts";

const [cwd, word, programs, watched] = process.argv.slice(2) as [string, string, string, string];
const policy = policyFor(sandboxConfig().parse({}), { cwd, home: "/nowhere", own: [], keys: [], allowedPaths: [], env: {} });
// Nobody keeps the network of the session between calls, so it is made again and again.
const shipped: FindShipped = ({ name }) => (watched === "perl" ? { why: "it was left out" } : { path: `${programs}/${name}` });
// Without Zeph's own programs Landlock is the wall, and perl ends what is left.
const sandbox = await probe({ policy, shipped, ...(watched === "perl" && { search: [] }) });
const network = openSessionNetwork({ idleMs: 0, shipped });
const one = async () => {
  for (;;) {
    const place = await network.join(sandbox, policy);
    const argv = ["/bin/bash", "-c", `(setsid sleep 300 &); : ${word}; sleep 0.0$((RANDOM % 5))`];
    await runLaunch(launch(sandbox, policy, argv, { join: place?.line, shipped }), { timeoutMs: 20_000, onOutput: () => {} });
    place?.leave();
  }
};
process.stdout.write(`${JSON.stringify({ ready: sandbox.backend })}\n`);
await Promise.all([one(), one(), one(), one()]);
