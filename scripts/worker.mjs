// Node cannot run TypeScript in a thread, so the thread that reads pages is built beside its source before the tests. It is not kept in git.
import { build } from "esbuild";

export async function setup() {
  await build({
    entryPoints: ["src/host/html/html-worker.ts"],
    outfile: "src/host/html/html-worker.js",
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "warning",
  });
}
