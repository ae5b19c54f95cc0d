import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Manifest } from "./manifests.ts";

/** Where the package has the kinds of a group. */
const MODULES: Readonly<Record<string, string>> = {
  v1: "core/v1",
  "apps/v1": "apps/v1",
  "batch/v1": "batch/v1",
  "policy/v1": "policy/v1",
  "networking.k8s.io/v1": "networking/v1",
};

/** What is wrong with them by the types that are made from Kubernetes' own description of its API: fields that are not there, of another kind, or missing. */
export function findTypeMistakes(manifests: readonly Omit<Manifest, "file">[]): string {
  const types = dirname(createRequire(import.meta.url).resolve("kubernetes-types/package.json"));
  const folder = mkdtempSync(join(tmpdir(), "zeph-kubernetes-"));
  try {
    const text = manifests.map(({ apiVersion, kind, ...rest }, n) => {
      const module = MODULES[apiVersion];
      if (!module) throw new Error(`${apiVersion} is not in the table of kubernetes-types.ts.`);
      return `const m${n}: import("kubernetes-types/${module}").${kind} = ${JSON.stringify({ apiVersion, kind, ...rest }, null, 1)};\nvoid m${n};\n`;
    });
    writeFileSync(join(folder, "manifests.ts"), `export {};\n${text.join("")}`);
    const paths = { "kubernetes-types/*": [join(types, "*")] };
    const compilerOptions = { strict: true, noEmit: true, skipLibCheck: true, types: [], module: "nodenext", paths };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["manifests.ts"] }));
    const tsc = join(import.meta.dirname, "../../node_modules/.bin/tsc");
    return spawnSync(tsc, ["-p", folder], { encoding: "utf8" }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
