import { resolve } from "node:path";
import { migrateFile, previewMigration } from "../../../config/edit/migrate.ts";
import { findProjectConfig, projectFolder, userConfigPath } from "../../../config/paths.ts";
import type { FromProject } from "../../../config/read.ts";
import { EXIT } from "../exit.ts";
import { type Io, readArgs, withUsageErrors } from "../io.ts";

const USAGE = "Usage: zeph --migrate-config [--dry-run]";

/** `zeph --migrate-config`: old keys get their new names in the user's and the project's file. Returns the exit code: 0, or 2. */
export async function runMigrate(args: readonly string[], io: Io): Promise<number> {
  return withUsageErrors(io, async () => {
    const { values } = readArgs(args, USAGE, 0, { "dry-run": { type: "boolean" }, config: { type: "string" } });
    const act = values["dry-run"] ? preview : rewrite;
    const userFile = values.config === undefined ? userConfigPath(io) : resolve(io.cwd, values.config);
    const project = findProjectConfig(io, userFile);
    let worst: number = EXIT.ok;
    // One file that cannot be rewritten does not keep the other from it.
    for (const file of project === null ? [userFile] : [userFile, project])
      worst = Math.max(
        worst,
        await withUsageErrors(io, async () => act(file, file === project ? { inside: projectFolder(file) } : undefined, io)),
      );
    return worst;
  });
}

function rewrite(file: string, from: FromProject | undefined, io: Io): number {
  const done = migrateFile(file, from);
  if (!done) io.stdout.write(`${file}: there is no such file.\n`);
  else if (done.changes.length === 0) io.stdout.write(`${file}: nothing to do.\n`);
  else io.stdout.write(`${file}: rewritten; the old file is kept as ${done.backup}\n${list(done.changes)}`);
  return EXIT.ok;
}

function preview(file: string, from: FromProject | undefined, io: Io): number {
  const would = previewMigration(file, from);
  if (!would) io.stdout.write(`${file}: there is no such file.\n`);
  else if (would.changes.length === 0) io.stdout.write(`${file}: nothing to do.\n`);
  else io.stdout.write(`${file}: would be rewritten.\n${list(would.changes)}`);
  return EXIT.ok;
}

const list = (changes: readonly string[]) => changes.map((change) => `  ${change}\n`).join("");
