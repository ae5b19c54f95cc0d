// Runs as a process of its own and is killed by a test: starts commands behind the walls, again and again, four at a time.

import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import { policyFor } from "../../src/host/sandbox/policy.ts";
import { probe } from "../../src/host/sandbox/probe.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";

const [cwd, word] = process.argv.slice(2) as [string, string];
const policy = policyFor(sandboxConfig.parse({}), { cwd, home: "/nowhere", own: [], keys: [], allowedPaths: [], env: {} });
const sandbox = await probe({ policy });
const one = async () => {
  for (;;) {
    const line = launch(sandbox, policy, ["/bin/bash", "-c", `(setsid sleep 300 &); : ${word}; sleep 0.0$((RANDOM % 5))`]);
    await runLaunch(line, { timeoutMs: 20_000, onOutput: () => {} });
  }
};
process.stdout.write(`${JSON.stringify({ ready: sandbox.backend })}\n`);
await Promise.all([one(), one(), one(), one()]);
