import * as z from "zod";
import { wrap } from "../text/width/columns.ts";
import { tomlKey, tomlValue } from "./edit/toml.ts";
import { configSchema } from "./schema.ts";
import { allSettings, type ConfigSetting } from "./settings.ts";

/** config.schema.json, for editors. */
export function configJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(configSchema(), {
    io: "input",
    override: ({ jsonSchema }) => void delete jsonSchema.tighter,
  });
  return { $schema, title: "Zeph configuration", description: "Settings of Zeph, a tool runtime for LLM agents.", ...rest };
}

/** The file of `zeph init`: every setting, commented out. A setting is `#key = value`, an explanation is `# text`. */
export function starterToml(): string {
  const sections = groupSettings().map(({ table, keys }) => `${table ? `[${table}]\n` : ""}${keys.map(keyToml).join("\n\n")}`);
  return `${[STARTER_INTRO, ...sections, STARTER_RULES].join("\n\n")}\n`;
}

interface SettingGroup {
  readonly table: string;
  readonly keys: readonly ConfigSetting[];
}

/** The keys by the table they stand in. The top level comes first, as TOML demands. Tables of rules have a section of their own. */
export function groupSettings(): SettingGroup[] {
  const tables = new Map<string, ConfigSetting[]>([["", []]]);
  for (const key of allSettings()) {
    const table = tomlKey(key.path.slice(0, -1));
    tables.set(table, [...(tables.get(table) ?? []), key]);
  }
  return [...tables].map(([table, keys]) => ({ table, keys })).filter(({ keys }) => keys.length > 0);
}

function keyToml(key: ConfigSetting): string {
  const comment = [...wrap(key.description, 101).split("\n"), ...(key.default === undefined ? ["Unset by default. For example:"] : [])].map(
    (line) => `# ${line}`,
  );
  if (isTable(key)) return [...comment, "# See the end of this file."].join("\n");
  return [...comment, `#${tomlKey(key.path.slice(-1))} = ${tomlValue(key.default ?? example(key.schema))}`].join("\n");
}

/** Tables of rules, which have examples at the end. */
const isTable = ({ key }: ConfigSetting) => key === "tools.permissions" || key === "hooks";

/** Something valid for a setting that has no default. */
function example(schema: z.ZodType): unknown {
  return [100, 1, 100_000, "text", true, []].find((value) => schema.safeParse(value).success);
}

/** In the settings page and the starter file. */
export const RULES_SAMPLE = `[[tools.permissions.bash]]
pattern = "git push*"
action = "ask"

[[tools.permissions.bash]]
pattern = "git *"
action = "allow"`;

const STARTER_INTRO = `# Settings of Zeph. Every line that begins with "#" and a name is a setting with its default;
# remove the "#" to change it. \`zeph config explain <key>\` shows what is in force and why.`;

const STARTER_RULES = `# Permission rules: each is an entry of its own, and the first that matches wins.
# The action is "allow", "ask" or "deny". Two examples:
#
${RULES_SAMPLE.replace(/^(?=.)/gm, "#")}

# Hooks: programs of yours that are told what happens. The events are pre_tool, post_tool, permission_denied,
# file_changed, cwd_changed and turn_complete. An example:
#
#[[hooks.post_tool]]
#command = "cat >> ~/zeph-calls.jsonl"
#match = "bash"`;
