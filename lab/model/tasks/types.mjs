import { cpSync, realpathSync } from "node:fs";
import path from "node:path";
import { commit, copy, edit, missing, read, run, source, write } from "../kit.mjs";

export const letter = "j";
export const title = "a TypeScript build over seven files";
export const ask =
  "`npm run types` fails: in src/utils.ts the member `blockLen` of the class Hash is called `blockBytes` now. Bring the other files into line. No cast, no `any`, no @ts-ignore; src/utils.ts stays as it is.";

const NAMES = [
  "_md",
  "_blake",
  "_u64",
  "blake1",
  "blake2",
  "blake3",
  "crypto",
  "hmac",
  "hkdf",
  "sha2",
  "sha3",
  "sha3-addons",
  "legacy",
  "pbkdf2",
  "scrypt",
  "utils",
];

export function lay(folder) {
  copy(
    "@noble/hashes@1.8.0",
    folder,
    NAMES.map((name) => `src/${name}.ts`),
    "src",
  );
  copy("@noble/hashes@1.8.0", folder, ["LICENSE"]);
  const compiler = path.dirname(path.dirname(realpathSync(path.join(source("typescript@7.0.2"), "bin/tsc"))));
  cpSync(compiler, path.join(folder, "node_modules/typescript"), { recursive: true });
  cpSync(path.join(compiler, "../@typescript"), path.join(folder, "node_modules/@typescript"), { recursive: true });
  write(folder, {
    "package.json": `${JSON.stringify({ name: "hashes", version: "1.0.0", private: true, type: "module", scripts: { types: "node node_modules/typescript/bin/tsc -p ." } }, null, 2)}\n`,
    "tsconfig.json": `${JSON.stringify({ compilerOptions: { target: "es2022", module: "nodenext", strict: true, noEmit: true, types: [], lib: ["es2022", "dom"], allowImportingTsExtensions: true }, include: ["src"] }, null, 2)}\n`,
    ".gitignore": "node_modules/\n",
  });
  run(folder, "chmod -R u+w src");
  edit(folder, "src/utils.ts", /'@noble\/hashes\/crypto'/, "'./crypto.ts'");
  edit(folder, "src/utils.ts", /abstract blockLen: number;/, "abstract blockBytes: number;");
  write(folder, { "src/utils.ts": read(folder, "src/utils.ts").replaceAll("= tmp.blockLen", "= tmp.blockBytes") });
  commit(folder, "hashes");
}

export const check = (folder) =>
  missing({
    "the types are right": run(folder, "npm run types").ok,
    "src/utils.ts is as it was": run(
      folder,
      "git diff --quiet $(git rev-list --max-parents=0 HEAD) -- src/utils.ts tsconfig.json package.json",
    ).ok,
    "no cast and no ignored line is new": !/^\+.*(\bas any\b|@ts-|as unknown)/m.test(
      run(folder, "git diff $(git rev-list --max-parents=0 HEAD) -- src").text,
    ),
    "the new name is in use": read(folder, "src/hmac.ts").includes("blockBytes"),
  });
