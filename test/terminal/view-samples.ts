import { ToolError } from "../../src/core/error.ts";
import type { Question } from "../../src/core/event.ts";
import type { Outcome } from "../../src/core/layer.ts";
import type { Theme } from "../../src/front/cli/tui/theme.ts";
import { callLines, type ShownCall } from "../../src/front/cli/tui/view/call.ts";
import { diffLines } from "../../src/front/cli/tui/view/diff.ts";
import { createCallView } from "../../src/front/cli/tui/view/full/call-view.ts";
import type { FullView } from "../../src/front/cli/tui/view/full/full-view.ts";
import { createCallList, createModelPicker, createRunList, createSessionPicker } from "../../src/front/cli/tui/view/full/lists.ts";
import { createMarkdownStream } from "../../src/front/cli/tui/view/markdown/stream.ts";
import { menuLines } from "../../src/front/cli/tui/view/menu.ts";
import {
  backgroundLines,
  budgetLines,
  compactedLines,
  goalLines,
  messageLines,
  reloadLines,
  retryLines,
  thoughtLines,
  turnEndLines,
  warningLines,
} from "../../src/front/cli/tui/view/notices.ts";
import { questionLines } from "../../src/front/cli/tui/view/question.ts";
import { answerKeys, questionKeys } from "../../src/front/cli/tui/view/question-keys.ts";
import { resourceLines } from "../../src/front/cli/tui/view/resources.ts";
import { statusLine } from "../../src/front/cli/tui/view/status-line.ts";
import { workLines } from "../../src/front/cli/tui/view/work.ts";
import { choicesFor } from "../../src/question/answers.ts";

type View = (width: number, theme: Theme) => string[];

/** Every view of the terminal with facts as they might be. With a `text`, that stands in place of all words that come from elsewhere. */
export function viewSamples(text?: string): Readonly<Record<string, View>> {
  const s = (usual: string) => text ?? usual;
  const calls = callsWith(s);
  const edit = editQuestion(s);
  const gates = [
    { gate: "blocklist", kind: "pass" },
    { gate: "permissions", kind: "ask", why: s("edit changes files, and no rule allows it.") },
    { gate: "adversarial", kind: "not asked", why: "a model judges only calls that are made" },
  ] as const;
  const usage = { input: 53_000, cacheRead: 47_000, cacheWrite: 0, output: 780 };
  const totals = { usage, cost: 0.04, requests: 4, calls: 8, denied: 1, unanswered: 0 };
  const full =
    (make: (theme: Theme) => FullView): View =>
    (width, theme) =>
      make(theme).lines(width, 12);
  const status = {
    model: s("anthropic/claude-sonnet-5"),
    context: { used: 15_000, budget: 200_000 },
    tokens: { input: 36_000, cached: 32_400, output: 470 },
    cost: 0.027,
    savedTokens: 2500,
    autonomy: "supervised",
    walls: "bubblewrap",
    branch: s("main"),
  } as const;
  return {
    status: (width, theme) => [
      statusLine({ ...status, hint: "Ctrl-T resources" }, width, theme),
      statusLine({ ...status, autonomy: "full", walls: "none", context: { used: 180_000, budget: 200_000 } }, width, theme),
      statusLine(
        { model: s("local"), context: null, tokens: { input: 0, cached: 0, output: 0 }, savedTokens: 0, autonomy: "readonly", walls: null },
        width,
        theme,
      ),
    ],
    resources: (width, theme) => resourceLines({ ...status, ...resourcesWith(s) }, width, theme),
    "resources-empty": (width, theme) => resourceLines(NOTHING, width, theme),
    calls: (width, theme) => calls.flatMap((call) => callLines(call, width, theme)),
    work: (width, theme) => [
      ...workLines({ frame: 1, thinkingMs: 1234, calls: [], queued: [] }, width, theme),
      ...workLines(
        {
          frame: 2,
          thinkingMs: null,
          calls: [
            { name: "bash", args: { command: s("npm test") }, ms: 2300, progress: { message: s("12 of 40 files"), done: 3, total: 9 } },
            ...Array.from({ length: 6 }, () => ({ name: s("read"), args: { path: s("src/parser.ts") }, ms: 90_000 })),
          ],
          queued: [s("and say so in the guide"), "b", "c", "d"],
        },
        width,
        theme,
      ),
    ],
    notices: (width, theme) => [
      ...messageLines(s("Why does the parser test fail?\nLook at all of it."), width, theme),
      ...thoughtLines(3100, width, theme),
      ...retryLines({ type: "retry", why: s("The model is overloaded."), inMs: 2000, attempt: 1, discards: true }, 3, width, theme),
      ...compactedLines({ type: "compacted", method: "triggered", messages: 12, tokens: { before: 91_000, after: 12_000 } }, width, theme),
      ...backgroundLines({ type: "background", runId: "1", command: s("npm run dev"), exitCode: 1 }, width, theme),
      ...budgetLines({ type: "budget", limit: "tokens", used: 8, most: 10 }, width, theme),
      ...reloadLines({ type: "reload", changed: [s("tools.permissions")], later: [] }, width, theme),
      ...warningLines(
        s("The walls are thin: network access cannot be closed on this machine, because user namespaces are off."),
        width,
        theme,
      ),
      ...goalLines(
        { id: "1", text: s("Mend the parser"), status: "active", tasks: [{ n: 1, title: s("Find it"), status: "done" }] } as never,
        width,
        theme,
      ),
      ...turnEndLines({ why: "cancelled", totals, ms: 100 }, width, theme),
      ...turnEndLines({ why: "budget", message: s("The limit of tokens is reached."), totals, ms: 65_000 }, width, theme),
      ...turnEndLines({ why: "answered", totals, ms: 5900 }, width, theme),
    ],
    "question-edit": (width, theme) => [
      ...questionLines({ question: edit, waiting: 1, gates }, width, theme),
      ...questionKeys({ kind: "armed", keys: answerKeys(choicesFor(edit)), isExplained: true }, width, theme),
    ],
    "question-command": (width, theme) => [
      ...questionLines(
        { question: commandQuestion(s), waiting: 0, walls: s("bubblewrap (namespaces, seccomp), network closed") },
        width,
        theme,
      ),
      ...questionKeys({ kind: "typing", left: 0 }, width, theme),
      ...questionKeys({ kind: "unread", left: 214 }, width, theme),
      ...questionKeys({ kind: "confirming" }, width, theme),
      ...questionKeys({ kind: "armed", keys: answerKeys(choicesFor({ whole_repository: "/x" })), isExplained: false }, width, theme),
    ],
    diff: (width, theme) => [...diffLines(s(DIFF), width, theme), ...diffLines(s(DIFF), width, theme, { long: "fold" })],
    menu: (width, theme) => [
      ...menuLines(
        [
          { name: s("/model"), help: s("another model answers") },
          { name: "/memory", help: "what is remembered" },
        ],
        1,
        width,
        theme,
      ),
      ...menuLines(
        Array.from({ length: 30 }, (_, n) => ({ name: s(`src/front/cli/file-${n}.ts`) })),
        12,
        width,
        theme,
      ),
      ...menuLines([], 0, width, theme),
    ],
    markdown: (width, theme) => {
      const stream = createMarkdownStream(width, theme);
      return [...stream.push(text === undefined ? MARKDOWN : unfenced(text)), ...stream.tail(), ...stream.end()];
    },
    "list-of-calls": full((theme) =>
      createCallList(
        () => calls,
        (call) => callViewOf(call, s, theme),
        theme,
      ),
    ),
    "one-call": full((theme) => callViewOf(calls[1]!, s, theme)),
    sessions: full((theme) =>
      createSessionPicker(
        () => [
          { id: "1b2c3d4e-0", title: s("Why does the parser test fail?"), updatedAt: new Date(2026, 2, 9, 14, 5).getTime(), length: 12 },
          {
            id: "2b2c3d4e-0",
            title: "Release notes",
            updatedAt: new Date(2026, 2, 8, 9, 30).getTime(),
            length: 1,
          },
        ],
        theme,
      ),
    ),
    models: full((theme) =>
      createModelPicker(
        () => [
          { name: s("claude"), about: s("anthropic/claude-sonnet-5"), isCurrent: true },
          { name: "local", isCurrent: false },
        ],
        theme,
      ),
    ),
    runs: full((theme) =>
      createRunList(() => [{ id: "1", command: s("npm run dev"), state: s("running"), isRunning: true, ms: 250_000 }], theme),
    ),
    "runs-empty": full((theme) => createRunList(() => [], theme)),
  };
}

const callViewOf = (call: ShownCall, s: (usual: string) => string, theme: Theme): FullView =>
  createCallView(call, { text: s("one\ntwo\n"), raw: async () => null, gates: async () => null, redraw: () => {} }, theme);

const DIFF = `--- a/src/parser.ts
+++ b/src/parser.ts
@@ -1,4 +1,5 @@
 export function parse(line: string): Node[] | null {
-  if (line) return [];
+  if (line === "") return null;
+  // A comment so long that no window of an ordinary size shows all of it in one line of its own, however wide it is.
   return read(line);
 }
`;

const MARKDOWN = `## What is wrong

The parser returns **an empty list** for a line with \`text\`, see [the guide](https://docs.example/parser). It should return *nothing*:

\`\`\`ts
// Only an empty line is nothing.
if (line === "") return null;
\`\`\`

- one thing
  1. and one below it, with so many words that it takes more than one line in most windows people have
> A quote.

| case | before | after |
|------|-------:|-------|
| \`""\` | 1 | \`null\` |
| 長い | 20 | the same as before, and a text that needs to be broken in a narrow window |

---
The end`;

/** Lines of code are as long as they are, and a test of its own looks at them. */
const unfenced = (text: string): string => text.replace(/`{3,}|~{3,}/g, "");

const decided = { verdict: "allow" } as const;

function callsWith(s: (usual: string) => string): ShownCall[] {
  const ok = (output: object, more: object = {}): Outcome =>
    ({ ok: true, callId: "c", output, grant: { kind: "preapproved" }, decision: decided, cached: false, ...more }) as Outcome;
  const failed = (error: ToolError, decision: object, more: object = {}): Outcome =>
    ({ ok: false, callId: "c1234567890", error, decision, ...more }) as Outcome;
  const filter = { rule: "npm", confidence: "Full", rawLines: 347, lines: 28, rawChars: 9000, chars: 900, secrets: [] } as const;
  const call = (n: number, name: string, args: object, outcome: Outcome, ms = 17): ShownCall => ({
    request: { name, args },
    outcome,
    ms,
    n,
  });
  return [
    call(1, "read", { path: s("src/parser.ts") }, ok({ text: s("text") })),
    call(2, "bash", { command: s("npm test") }, ok({ text: s("1\n2\n3\n4\nexpected: null"), exitCode: 1, filter }), 729),
    call(3, "edit", { path: s("src/parser.ts"), new_string: s("x") }, ok({ text: "", diff: s(DIFF) })),
    call(
      4,
      "bash",
      { command: s("sudo rm -rf /var/cache") },
      failed(new ToolError("policy_blocked", s("no")), {
        verdict: "deny",
        gate: "blocklist",
        why: s(
          '"sudo rm -rf /var/cache" is never run: commands run with the rights you have. Say what needs them, and a person can do it.',
        ),
      }),
      9,
    ),
    call(
      5,
      s("mcp__db__query"),
      { query: s("select 1") },
      failed(new ToolError("timeout", s("It took longer than 30 s.")), decided),
      30_000,
    ),
    call(6, "write", { path: "a" }, failed(new ToolError("policy_blocked", "no"), { verdict: "deny", gate: "permissions", by: s("Ana") })),
    call(7, "bash", { command: s("make") }, ok({ text: s("error"), exitCode: 2, rollback: s("3 files are as they were before.") }), 61_000),
    call(8, "grep", { pattern: s("a"), path: s("b") }, ok({ text: s("a:1") }, { cached: true })),
    call(9, s("mcp__camera__look"), {}, ok({ text: s("[image 1]"), media: [IMAGE] })),
  ];
}

const IMAGE = { kind: "image", mediaType: "image/png", data: "", bytes: 34_000, sha256: "", width: 640, height: 480 };

const editQuestion = (s: (usual: string) => string): Question => ({
  call_id: "1",
  tool: s("edit"),
  args: { path: s("src/parser.ts"), old_string: s("a"), new_string: s("b"), replace_all: true },
  why: [s("edit changes files, and no rule allows it.")],
  touches: [
    { kind: "path", access: "read", path: s("src/parser.ts") },
    { kind: "path", access: "write", path: s("src/parser.ts") },
  ],
  always_rule: s("allow edit on src/**"),
  all_edits: true,
  preview: s(DIFF),
  preview_whole: true,
});

const commandQuestion = (s: (usual: string) => string): Question => ({
  call_id: "1",
  tool: "bash",
  args: { command: s("npm ci &&\n  npm publish --tag next"), timeout: 5000 },
  why: [s("npm publish sends files to a registry."), s("A second reason.")],
  touches: [
    { kind: "command", text: s("npm ci"), argv: ["npm", "ci"] },
    { kind: "url", url: s("https://registry.example") },
  ],
});

const resourcesWith = (s: (usual: string) => string) => ({
  filter: {
    commands: 3,
    filtered: 3,
    rawChars: 37_000,
    chars: 27_000,
    confidence: { Full: 3, Partial: 1, Fallback: 0 },
    rules: {
      [s("find")]: { uses: 1, rawChars: 20_000, chars: 14_600 },
      "git-log-stat": { uses: 1, rawChars: 9000, chars: 4770 },
      none: { uses: 1, rawChars: 10, chars: 10 },
    },
  },
  cache: { hits: 1, misses: 2 },
  priceDate: s("2026-03-01"),
  compactions: [{ method: "triggered", before: 91_000, after: 12_000 }] as const,
  calls: { ok: 6, failed: 1, denied: 1 },
  gates: [
    { gate: s("blocklist"), asked: 0, denied: 1 },
    { gate: "permissions", asked: 2, denied: 0 },
    { gate: "quota", asked: 0, denied: 0 },
  ],
  runs: [{ command: s("npm run dev -- --port 3000 --open --host"), ms: 250_000 }],
  egress: [
    { host: s("docs.example.org"), sent: 0, held: 1 },
    { host: "registry.example", sent: 4, held: 0, failed: 1 },
  ],
  rollbacks: [s("3 files are as they were before.")],
  servers: [
    { name: s("db"), state: "connected, 12 tools", isUp: true },
    { name: "web", state: s("not reached"), isUp: false },
  ],
});

const NOTHING = {
  context: null,
  tokens: { input: 0, cached: 0, output: 0 },
  filter: { commands: 0, filtered: 0, rawChars: 0, chars: 0, confidence: { Full: 0, Partial: 0, Fallback: 0 }, rules: {} },
  cache: { hits: 0, misses: 0 },
  compactions: [],
  calls: { ok: 0, failed: 0, denied: 0 },
  gates: [],
  runs: [],
  egress: [],
  rollbacks: [],
  servers: [],
} as const;
