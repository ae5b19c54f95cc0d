import { starterToml } from "../../../config/document.ts";
import { backUp, PRIVATE, replaceConfigFile, SHARED } from "../../../config/edit/write.ts";
import { projectConfigPath, userConfigPath } from "../../../config/paths.ts";
import { ConfigError } from "../../../config/problem.ts";
import { readConfigText } from "../../../config/read.ts";
import { EXIT } from "../exit.ts";
import { type Io, readArgs, withUsageErrors } from "../io.ts";

const USAGE = "Usage: zeph init [--project] [--force]";

/** `zeph init`: a file with every setting commented out. Returns the exit code: 0, or 2 when there is a file already. */
export async function runInit(args: readonly string[], io: Io): Promise<number> {
  return withUsageErrors(io, async () => {
    const { values } = readArgs(args, USAGE, 0, { project: { type: "boolean" }, force: { type: "boolean" } });
    const file = values.project ? projectConfigPath(io.cwd) : userConfigPath(io);
    const from = values.project ? { inside: io.cwd } : undefined;
    const before = readConfigText(file, from);
    if (before !== null && !values.force)
      throw new ConfigError([
        {
          file,
          message: `This file exists and was left alone. \`zeph init${values.project ? " --project" : ""} --force\` replaces it and keeps a copy.`,
        },
      ]);
    if (before !== null) io.stdout.write(`The old file is kept as ${backUp(file)}\n`);
    replaceConfigFile(file, before, starterToml(), from ? { ...SHARED, ...from } : PRIVATE);
    io.stdout.write(`Wrote ${file}\n${values.project ? NEXT_PROJECT : NEXT_USER}\n`);
    return EXIT.ok;
  });
}

const NEXT_USER = "Every setting is in it, commented out. Remove a # to change one; `zeph config explain <key>` shows what is in force.";
const NEXT_PROJECT =
  "It may tighten what your own file allows. To let it do more, read it and run `zeph trust`; each person who uses the project decides that.";
