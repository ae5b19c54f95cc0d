import { groupSettings, RULES_SAMPLE } from "../src/config/document.ts";
import { tighterWords, valueWords } from "../src/config/explain.ts";
import type { ConfigSetting } from "../src/config/settings.ts";

/** docs/config.md */
export function configPage(): string {
  const sections = groupSettings().map(({ table, keys }) =>
    [`## ${table ? `\`[${table}]\`` : "Top level"}`, ...keys.map(keyMarkdown)].join("\n\n"),
  );
  return `${[INTRO, ...sections, RULES].join("\n\n")}\n`;
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

const RULES = `## Permission rules

Each rule is an entry of its own, in double brackets; the first that matches wins.

\`\`\`toml
${RULES_SAMPLE}
\`\`\`

\`[tools.permissions.bash]\` in single brackets is a table and not a rule; it is an error.`;
