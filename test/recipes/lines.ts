/** The lines that a recipe of CONTRIBUTING.md adds to files that are there: `put` stands where `find` stood, which is there once. */
export interface AddedLine {
  readonly file: string;
  readonly find: string;
  readonly put: string;
}

const GATE_SECTION = `## generated

Is it a file that a program makes? Cost: each path that is written is resolved, where folders are named.

\`\`\`toml
[tools.generated]
folders = ["dist"]
\`\`\`

\`write {"path":"dist/a.js","content":"a"}\` → **deny**, by \`tools.generated.folders dist\`:

> dist/a.js is in dist, whose files are made by a program. Change what the program reads, and run it.

`;

const FILTER_RULE = `[[rules]]
name = "restic"
match = { regex = '^restic backup\\b' }
[rules.strategy]
type = "strip_noise"
patterns = ['^(?:open|lock) repository$', '^load index files$', '^start (?:scan|backup) on \\[']

`;

/** By the folders beside this file, which hold the files that a recipe writes. */
export const LINES: Readonly<Record<string, readonly AddedLine[]>> = {
  tool: [
    {
      file: "src/tools/index.ts",
      find: 'import { write } from "./write.ts";\n',
      put: 'import { wordCount } from "./word-count.ts";\nimport { write } from "./write.ts";\n',
    },
    { file: "src/tools/index.ts", find: "  webScrape,\n];", put: "  webScrape,\n  wordCount,\n];" },
    {
      file: "src/core/inputs/tool-results.ts",
      find: "  readonly fetch: PageResult;\n",
      put: "  readonly word_count: { readonly words: number };\n  readonly fetch: PageResult;\n",
    },
  ],
  gate: [
    {
      file: "src/runtime/rules/gates.ts",
      find: 'import { assertDistinct, createOwnGates } from "../../gates/own.ts";\n',
      put: 'import { createGeneratedGate } from "../../gates/generated.ts";\nimport { assertDistinct, createOwnGates } from "../../gates/own.ts";\n',
    },
    {
      file: "src/runtime/rules/gates.ts",
      find: "    createQuotaGate(config.tools",
      put: "    createGeneratedGate(config.tools.generated, facts),\n    createQuotaGate(config.tools",
    },
    {
      file: "src/config/schema.ts",
      find: 'import { autonomyConfig, permissionsConfig } from "../gates/permissions/permissions.ts";\n',
      put: 'import { generatedConfig } from "../gates/generated.ts";\nimport { autonomyConfig, permissionsConfig } from "../gates/permissions/permissions.ts";\n',
    },
    {
      file: "src/config/schema.ts",
      find: "  utility: utilityConfig,\n",
      put: "  utility: utilityConfig,\n  generated: generatedConfig,\n",
    },
    { file: "src/config/rule-settings.ts", find: '  "tools.utility",\n', put: '  "tools.utility",\n  "tools.generated",\n' },
    {
      file: "docs/gates.md",
      find: "| [`quota`](#quota)",
      put: "| [`generated`](#generated) | Is it a file that a program makes? | `tools.generated`: `folders` | off |\n| [`quota`](#quota)",
    },
    { file: "docs/gates.md", find: "## quota\n", put: `${GATE_SECTION}## quota\n` },
  ],
  setting: [
    {
      file: "src/pipeline/config.ts",
      find: "      ttl_secs: setting(\n",
      put: `      max_answer_bytes: setting(
        z.int().min(0).max(100_000_000).default(100_000_000),
        "An answer of more bytes than this is not kept.",
        "smaller",
      ),
      ttl_secs: setting(\n`,
    },
    {
      file: "src/pipeline/cache.ts",
      find: "    if (copied === null) return outcome;\n",
      put: "    if (copied === null || copied.bytes > config.max_answer_bytes) return outcome;\n",
    },
  ],
  provider: [
    {
      file: "src/models/defaults.ts",
      find: "  script: { contextTokens: 128_000 },\n",
      put: "  plain: { contextTokens: 32_768 },\n  script: { contextTokens: 128_000 },\n",
    },
    {
      file: "src/runtime/agent/models.ts",
      find: 'import { createResponsesModel } from "../../models/responses.ts";\n',
      put: 'import { createPlainModel } from "../../models/plain.ts";\nimport { createResponsesModel } from "../../models/responses.ts";\n',
    },
    {
      file: "src/runtime/agent/models.ts",
      find: "  compatible: createCompatibleModel,\n",
      put: "  compatible: createCompatibleModel,\n  plain: createPlainModel,\n",
    },
    {
      file: "docs/models.md",
      find: "| `script` | turns",
      put: "| `plain` | a server that streams events as they are | only with `api_key_env` | must be set |\n| `script` | turns",
    },
  ],
  "filter-rule": [
    { file: "src/filters/rules/infra.toml", find: '[[rules]]\nname = "dig"\n', put: `${FILTER_RULE}[[rules]]\nname = "dig"\n` },
  ],
  "slash-command": [
    {
      file: "src/runtime/agent/features.ts",
      find: 'import { type GoalsPart, goalsPart } from "../features/goals.ts";\n',
      put: 'import { folderPart } from "../features/folder.ts";\nimport { type GoalsPart, goalsPart } from "../features/goals.ts";\n',
    },
    {
      file: "src/runtime/agent/features.ts",
      find: "[instructions, memoryPart(s), skills, schedulePart(s), goals, compactionPart(s, conversation)]",
      put: `[
    instructions,
    memoryPart(s),
    skills,
    schedulePart(s),
    folderPart(s),
    goals,
    compactionPart(s, conversation),
  ]`,
    },
    { file: "docs/chat.md", find: "| `/clear` |", put: "| `/folder` | shows the folder the agent works in |\n| `/clear` |" },
  ],
};
