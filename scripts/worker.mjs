// Node cannot run TypeScript in a thread, so the threads are built beside their sources before the tests. They are not kept in git.
import { build } from "esbuild";

export async function setup() {
  await build({
    entryPoints: ["src/host/html/html-worker.ts", "src/host/as-user/files-child.ts", "src/runtime/text-worker.ts"],
    outdir: "src",
    outbase: "src",
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "warning",
  });
}
