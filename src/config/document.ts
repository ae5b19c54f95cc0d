import * as z from "zod";
import { wrap } from "../text/width/columns.ts";
import { tomlKey, tomlValue } from "./edit/toml.ts";
import { tighterWords, valueWords } from "./explain.ts";
import { configSchema } from "./schema.ts";
import { allSettings, type ConfigSetting } from "./settings.ts";

/** docs/config.md */
export function configMarkdown(): string {
  const sections = groups().map(({ table, keys }) =>
    [`## ${table ? `\`[${table}]\`` : "Top level"}`, ...keys.map(keyMarkdown)].join("\n\n"),
  );
  return `${[INTRO, ...sections, RULES].join("\n\n")}\n`;
}

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
  const sections = groups().map(({ table, keys }) => `${table ? `[${table}]\n` : ""}${keys.map(keyToml).join("\n\n")}`);
  return `${[STARTER_INTRO, ...sections, STARTER_RULES].join("\n\n")}\n`;
}

interface Group {
  readonly table: string;
  readonly keys: readonly ConfigSetting[];
}

/** The keys by the table they stand in. The top level comes first, as TOML demands. Tables of rules have a section of their own. */
function groups(): Group[] {
  const tables = new Map<string, ConfigSetting[]>([["", []]]);
  for (const key of allSettings()) {
    const table = tomlKey(key.path.slice(0, -1));
    tables.set(table, [...(tables.get(table) ?? []), key]);
  }
  return [...tables].map(([table, keys]) => ({ table, keys })).filter(({ keys }) => keys.length > 0);
}

const keyMarkdown = (key: ConfigSetting) =>
  [
    `### \`${key.key}\``,
    key.description,
    ["| Type | Default | Variable | An untrusted project |", "|---|---|---|---|", `| ${row(key).map(cell).join(" | ")} |`].join("\n"),
  ].join("\n\n");

const row = (key: ConfigSetting) => [
  key.type,
  key.default === undefined ? "unset" : `\`${valueWords(key.default)}\``,
  `\`${key.env}\``,
  tighterWords(key.tighter),
];
const cell = (text: string) => text.replaceAll("|", "\\|");

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

const INTRO = `# Configuration

This page is generated from the schema (\`src/config/schema.ts\`); \`config.schema.json\` is the same for editors.

Zeph reads TOML. A later layer replaces what an earlier one set:

1. what is built in
2. your file: \`$XDG_CONFIG_HOME/zeph/config.toml\`, else \`~/.config/zeph/config.toml\`
3. the project's file: \`.zeph/config.toml\` in the working directory or the nearest folder above it, up to the top of the repository; one that is a link out of the project is refused
4. environment variables
5. flags: \`--set key=value\`

Permission rules of a project come before yours and do not replace them.

\`zeph init\` writes a file with every setting commented out. \`zeph config explain <key>\` shows a setting's value, its default and who set it;
\`zeph config path\` shows which files are read. A key that does not exist is an error with file, line and the nearest real name.
\`zeph --migrate-config\` rewrites keys that have a new name.

**Variables.** Every setting has one: \`ZEPH_\` and the key in capitals, with \`_\` for each dot. Text stands for itself, numbers are written plainly,
switches are \`true\` or \`false\`, lists and tables are JSON: \`ZEPH_TOOLS_FILE_DENY_READ='["~/.ssh/**"]'\`. An empty variable counts as unset.
\`--set\` takes values in the same form.

**Projects you do not trust.** Opening a stranger's repository must never run or allow anything. Until you run \`zeph trust\` in it,
a project's file may only make your rules stricter: more denials, smaller limits. Each setting below says what that means for it. Anything else in the file is ignored,
and a warning says so. Trust ends when the file changes.

**Globs.** \`*\`, \`?\`, \`[a-z]\`, \`[!a]\` and \`{a,b}\`. In paths \`*\` stops at \`/\` and \`**\` does not, dot files match, and \`~\` is your home.
In commands and URLs \`*\` matches anything, slashes and line breaks included. Permission patterns ignore case; \`deny_read\` and \`allow_read\` do not.
A malformed glob is an error at the start.`;

const RULES_SAMPLE = `[[tools.permissions.bash]]
pattern = "git push*"
action = "ask"

[[tools.permissions.bash]]
pattern = "git *"
action = "allow"`;

const RULES = `## Permission rules

Each rule is an entry of its own, in double brackets; the first that matches wins.

\`\`\`toml
${RULES_SAMPLE}
\`\`\`

\`[tools.permissions.bash]\` in single brackets is a table and not a rule; it is an error.`;

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
