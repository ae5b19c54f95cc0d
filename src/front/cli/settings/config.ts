import { existsSync } from "node:fs";
import { explainSettings, explainText } from "../../../config/explain.ts";
import { loadConfig } from "../../../config/load.ts";
import { trustedBy } from "../../../config/paths.ts";
import { findSetting } from "../../../config/settings.ts";
import type { TrustRecords } from "../../../core/ports/store.ts";
import { EXIT } from "../exit.ts";
import { type Io, json, readArgs, UsageError, withUsageErrors } from "../io.ts";

const USAGE = `Usage: zeph config explain [key] [--json]
       zeph config path [--json]
       zeph config schema
explain and path also take --config <file> and --set <key>=<value>.`;

type Trust = Pick<TrustRecords, "get">;
type Command = (args: readonly string[], io: Io, trust: Trust) => Promise<number>;

/** `zeph config …`. Returns the exit code: 0, or 2 for a wrong command or configuration. */
export async function runConfig(args: readonly string[], io: Io, trust: Trust): Promise<number> {
  const [name = "", ...rest] = args;
  return withUsageErrors(io, () => {
    if (!Object.hasOwn(COMMANDS, name))
      throw new UsageError(`${name ? `"${name}" is not a config command.` : "Say what to show."}\n${USAGE}`);
    return COMMANDS[name]!(rest, io, trust);
  });
}

const COMMANDS: Record<string, Command> = { explain: explainCommand, path: pathCommand, schema: schemaCommand };

async function explainCommand(args: readonly string[], io: Io, trust: Trust): Promise<number> {
  const { values, positionals } = readArgs(args, USAGE, 1, OPTIONS);
  const loaded = load(values, io, trust);
  const explained = explainSettings(loaded, positionals[0]);
  if (!values.json) io.stdout.write(explainText(explained));
  else {
    // An unset value is null, so that the field is there.
    const shown = explained.map((one) => ({ ...one, value: one.value ?? null, default: one.default ?? null }));
    io.stdout.write(json(positionals[0] !== undefined && findSetting(positionals[0]) ? shown[0] : shown));
  }
  for (const warning of loaded.warnings) io.stderr.write(`warning: ${warning}\n`);
  return EXIT.ok;
}

async function pathCommand(args: readonly string[], io: Io, trust: Trust): Promise<number> {
  const { values } = readArgs(args, USAGE, 0, OPTIONS);
  const { userFile, project } = load(values, io, trust);
  const user = { file: userFile, exists: existsSync(userFile) };
  if (values.json) {
    io.stdout.write(json({ user, project: project && { file: project.file, folder: project.folder, trusted: project.trusted } }));
    return EXIT.ok;
  }
  io.stdout.write(`user     ${user.file}${user.exists ? "" : " (does not exist; `zeph init` writes it)"}\n`);
  if (!project) io.stdout.write("project  none\n");
  else
    io.stdout.write(`project  ${project.file} (${project.trusted ? "trusted" : "not trusted: it may only tighten; see `zeph trust`"})\n`);
  return EXIT.ok;
}

async function schemaCommand(args: readonly string[], io: Io): Promise<number> {
  readArgs(args, USAGE, 0, {});
  const { configJsonSchema } = await import("../../../config/document.ts");
  io.stdout.write(json(configJsonSchema()));
  return EXIT.ok;
}

const OPTIONS = { json: { type: "boolean" }, config: { type: "string" }, set: { type: "string", multiple: true } } as const;

const load = ({ config, set }: { config?: string | undefined; set?: string[] | undefined }, io: Io, trust: Trust) =>
  loadConfig({
    cwd: io.cwd,
    home: io.home,
    env: io.env,
    trusted: trustedBy(trust),
    ...(config !== undefined && { userFile: config }),
    ...(set && { flags: set }),
  });
