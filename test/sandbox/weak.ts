import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { onTestFinished } from "vitest";
import { BWRAP } from "./bwrap.ts";

/** Runs a command line as it is, with nothing of ours around it: the walls that are too low. */
export function weakly(
  args: readonly string[],
  { env = {}, extra = [] }: { env?: Record<string, string>; extra?: number[] } = {},
): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(BWRAP, args, { cwd: "/", env, stdio: ["ignore", "pipe", "pipe", ...extra] });
    let out = "";
    for (const stream of [child.stdout, child.stderr])
      stream!.on("data", (chunk) => {
        out = (out + chunk).slice(0, 20_000);
      });
    child.on("close", () => resolve(out));
  });
}

/** A program that uses the sandbox, as a file that Node can run on its own. Gone after the test. */
export async function program(code: string): Promise<string> {
  const cache = join(import.meta.dirname, "../../node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "zeph-walls-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, "program.mjs");
  const contents = `import { policyFor } from "./policy.ts"; import { sandboxConfig } from "./config.ts"; import { probe } from "./probe.ts";
    import { launch } from "./launch.ts"; import { runLaunch as run } from "./run.ts";
    const cwd = process.argv[2];
    const policy = policyFor(sandboxConfig().parse({}), { cwd, home: "/nowhere", own: [], keys: [], allowedPaths: [], env: process.env });
    const sandbox = await probe({ policy });
    const inside = (command, more) => run(launch(sandbox, policy, ["/bin/bash", "-c", command]), { timeoutMs: 60000, onOutput: (c) => process.stdout.write(c), ...more });
    ${code}`;
  await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, "../../src/host/sandbox"), loader: "ts" },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}
