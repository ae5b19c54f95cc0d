// Recorded outputs to judge the filter by. A corpus folder has one folder per case: cmd, exit, stdout, stderr or raw (both as received), and
// facts.json, noise.json, detail.json, meta.json. Without a corpus our own golden cases serve; they say what is saved, not what is kept.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Hands the cases to `use`, and removes what was unpacked for it. */
export async function withCorpus(folder, use) {
  const unpacked = mkdtempSync(join(tmpdir(), "zeph-corpus-"));
  try {
    const folders = [folder];
    const archive = join(folder, "secret-cases.tgz");
    if (existsSync(archive)) {
      const { status, stderr } = spawnSync("tar", ["xzf", archive, "-C", unpacked], { encoding: "utf8" });
      if (status !== 0) throw new Error(`${archive}: ${stderr}`);
      folders.push(unpacked);
    }
    const cases = new Map();
    for (const from of folders)
      for (const name of readdirSync(from))
        if (existsSync(join(from, name, "facts.json"))) cases.set(name, readCase(name, join(from, name)));
    return await use([...cases.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

export function goldenCases(folder) {
  return readdirSync(folder).flatMap((rule) =>
    readdirSync(join(folder, rule)).map((name) => {
      const at = join(folder, rule, name);
      return { ...readCase(`${rule}/${name}`, at), category: rule };
    }),
  );
}

/** The text itself is read when it is asked for: some are made on the fly, and large. */
function readCase(name, at) {
  const meta = json(join(at, "meta.json"), {});
  return {
    name,
    command: text(join(at, "cmd")).trimEnd(),
    exitCode: Number(text(join(at, "exit")).trim()),
    raw: () => rawOf(at),
    isGiant: existsSync(join(at, "gen.mjs")),
    facts: json(join(at, "facts.json"), []),
    noise: json(join(at, "noise.json"), []),
    detail: json(join(at, "detail.json"), []),
    category: meta.cat ?? "",
    secrets: meta.secrets ?? [],
    mustWarn: meta.secret_warning === true,
    exact: meta.exact === true,
    mostTokens: meta.max_filtered_tokens ?? null,
  };
}

function rawOf(at) {
  const made = join(at, "gen.mjs");
  if (existsSync(made)) return spawnSync(process.execPath, [made], { maxBuffer: 2 ** 30 }).stdout.toString("utf8");
  if (existsSync(join(at, "raw"))) return text(join(at, "raw"));
  return Buffer.concat(
    ["stdout", "stderr"]
      .map((stream) => join(at, stream))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file)),
  ).toString("utf8");
}

const text = (file) => readFileSync(file, "utf8");

function json(file, otherwise) {
  return existsSync(file) ? JSON.parse(text(file)) : otherwise;
}
