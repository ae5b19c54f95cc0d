import { resolve } from "node:path";
import { type Migrated, migrateFile, previewMigration } from "../../../config/edit/migrate.ts";
import { findProjectConfig, projectFolder, userConfigPath } from "../../../config/paths.ts";
import { EXIT } from "../exit.ts";
import { type Io, readArgs, withUsageErrors } from "../io.ts";

const USAGE = "Usage: zeph --migrate-config [--dry-run]";

/** `zeph --migrate-config`: old keys get their new names in the user's and the project's file. Returns the exit code: 0, or 2. */
export async function runMigrate(args: readonly string[], io: Io): Promise<number> {
  return withUsageErrors(io, async () => {
    const { values } = readArgs(args, USAGE, 0, { "dry-run": { type: "boolean" }, config: { type: "string" } });
    const migrate = values["dry-run"] ? previewMigration : migrateFile;
    const userFile = values.config === undefined ? userConfigPath(io) : resolve(io.cwd, values.config);
    const project = findProjectConfig(io, userFile);
    let worst: number = EXIT.ok;
    // One file that cannot be rewritten does not keep the other from it.
    for (const file of project === null ? [userFile] : [userFile, project])
      worst = Math.max(
        worst,
        await withUsageErrors(io, async () => {
          io.stdout.write(migratedText(file, migrate(file, file === project ? { inside: projectFolder(file) } : undefined)));
          return EXIT.ok;
        }),
      );
    return worst;
  });
}

function migratedText(file: string, migrated: (Migrated & { readonly backup?: string | null }) | null): string {
  if (!migrated) return `${file}: there is no such file.\n`;
  const { changes, backup } = migrated;
  if (changes.length === 0) return `${file}: nothing to do.\n`;
  const head = backup === undefined ? "would be rewritten." : `rewritten; the old file is kept as ${backup}`;
  return `${file}: ${head}\n${changes.map((change) => `  ${change}\n`).join("")}`;
}
