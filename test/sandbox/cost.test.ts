import { expect, test } from "vitest";
import { createPlainLaunch } from "../../src/host/sandbox/fed-launch.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import { probe } from "../../src/host/sandbox/probe.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import { available, isRoot, policyIn, who } from "./support.ts";

const TIMES = 25;
const BASH = ["/bin/bash", "--noprofile", "--norc", "-c", "true"];

test.runIf(available)("a command behind walls costs a few times a bare one", async () => {
  const me = who(isRoot ? "root" : "user");
  const policy = policyIn(me.workspace(), me);
  const sandbox = await probe({ policy });
  const bare = () => createPlainLaunch({ argv: BASH, cwd: policy.cwd, env: {}, walls: sandbox.walls, runner: null });
  const times: Record<"bare" | "walled", number[]> = { bare: [], walled: [] };
  for (let i = 0; i < TIMES; i++)
    for (const [name, make] of [["bare", bare] as const, ["walled", () => launch(sandbox, policy, BASH)] as const]) {
      const start = performance.now();
      expect((await runLaunch(make(), { timeoutMs: 9000, onOutput: () => {} })).exitCode).toBe(0);
      times[name].push(performance.now() - start);
    }
  const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1]!;
  // Measured: about 5 for a user, 6 for root. Wide, because other tests run beside it.
  expect(median(times.walled) / median(times.bare)).toBeLessThan(15);
  me.remove();
});
