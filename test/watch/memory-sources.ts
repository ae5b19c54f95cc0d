import type { Answer } from "../../src/core/event.ts";
import type { AuditEntry } from "../../src/core/ports/audit.ts";
import type {
  CallQuery,
  JudgedNow,
  LiveQuestion,
  LiveRun,
  LogCheck,
  LoggedLine,
  WatchSources,
} from "../../src/front/watch/watch-sources.ts";
import { sampleStored } from "./sample-stored.ts";

/** What the pages are given, held in memory. Every text of a stranger goes through `text`, so that a test can make all of them hostile. */
export interface MemorySources extends WatchSources {
  /** A call ends now, and whoever follows the log is told. */
  addCall(entry: Partial<AuditEntry>): void;
  ask(question: LiveQuestion): void;
  /** Somebody answered elsewhere. */
  withdraw(callId: string): void;
  readonly answers: { readonly callId: string; readonly answer: Answer; readonly by: string; readonly reason?: string }[];
  readonly notes: string[];
  /** How many listen to the log and to what is live. */
  followers(): number;
}

const START = Date.parse("2026-11-15T21:58:00Z");

export function createMemorySources(text: (plain: string) => string = (plain) => plain): MemorySources {
  const lines: LoggedLine[] = [];
  const questions: LiveQuestion[] = [];
  const answers: MemorySources["answers"] = [];
  const notes: string[] = [];
  const onCalls = new Set<(calls: readonly LoggedLine[]) => void>();
  const onLive = new Set<() => void>();
  let check: LogCheck | null = null;

  const put = (entry: Partial<AuditEntry>): LoggedLine => {
    const n = lines.length + 1;
    const ts = new Date(START + n * 2000).toISOString();
    const line = { file: text("audit.jsonl"), line: n, entry: { kind: "call", ts, call_id: `call-${n}`, ...entry } as AuditEntry };
    lines.push(line);
    return line;
  };
  for (const entry of sampleCalls(text)) put(entry);
  const tellLive = () => {
    for (const listener of onLive) listener();
  };
  const calls = () => lines.filter(({ entry }) => entry.kind === "call");

  return {
    ...sampleStored(text),
    answers,
    notes,
    followers: () => onCalls.size + onLive.size,
    addCall(entry) {
      const line = put(entry);
      for (const listener of onCalls) listener([line]);
    },
    ask(question) {
      questions.push(question);
      tellLive();
    },
    withdraw(callId) {
      questions.splice(
        questions.findIndex((one) => one.callId === callId),
        1,
      );
      tellLive();
    },
    facts: async () => ({
      workspace: text("/home/maria/projects/app"),
      walls: text("bubblewrap"),
      autonomy: text("supervised"),
      policy: text("2 rules, else allow"),
    }),
    log: {
      async find(query) {
        const fits = calls()
          .filter(({ entry }) => isWanted(entry, query))
          .reverse();
        return { calls: fits.slice(query.from, query.from + query.limit), total: fits.length };
      },
      async call(callId) {
        const own = lines.filter(({ entry }) => entry.call_id === callId);
        const main = own.at(-1);
        if (!main) return null;
        const at = lines.indexOf(main);
        return {
          main,
          lines: own,
          around: lines.slice(Math.max(0, at - 4), at + 5),
          kept: await sampleStored(text).kept.list({ limit: 1 }),
        };
      },
      totals: async () => ({
        calls: calls().length,
        sessions: 61,
        outcomes: Object.fromEntries(
          ["ok", "denied", "failed", "unanswered"].map((name) => [name, calls().filter(({ entry }) => entry.outcome === name).length]),
        ),
        gates: [
          { gate: text("permissions"), times: 41 },
          { gate: text("policy"), times: 12 },
        ],
        hosts: [{ host: text("docs.example.org"), sent: 36, failed: 1, held: 2 }],
      }),
      choices: async () => ({ tools: ["bash", "read", "write"].map(text), gates: ["policy"].map(text), callers: ["maria"].map(text) }),
      session: async (id) => lines.filter(({ entry }) => entry.session_id === id),
      async verify() {
        check = {
          files: [
            {
              file: text("audit.jsonl"),
              lines: lines.length,
              intact: false,
              anchored: true,
              problems: [{ line: 3, kind: "chain", reason: text("line 3 was edited") }],
              remarks: [],
              torn: [],
            },
          ],
          intact: text("") === "",
          at: START,
          ms: 812,
        };
        return check;
      },
      lastCheck: () => check,
      judge: async () => sampleJudgement(text),
      follow(listener) {
        onCalls.add(listener);
        return () => void onCalls.delete(listener);
      },
    },
    live: {
      runs: () => sampleRuns(text),
      questions: async () => [...questions],
      async answer(callId, given) {
        if (!questions.some((one) => one.callId === callId)) return { counts: false, why: "Somebody answered before." };
        answers.push({ callId, ...given });
        questions.splice(
          questions.findIndex((one) => one.callId === callId),
          1,
        );
        tellLive();
        return { counts: true, message: "answered" };
      },
      follow(listener) {
        onLive.add(listener);
        return () => void onLive.delete(listener);
      },
    },
    note: async (said) => void notes.push(said),
    redact: (said) => said.replaceAll("hunter2", "[secret]"),
    close: async () => {},
  };
}

function isWanted(entry: AuditEntry, { text, tool, outcome, gate, caller, session }: CallQuery): boolean {
  const has = (wanted: string | undefined, value: string | undefined) => wanted === undefined || wanted === value;
  return (
    has(tool, entry.tool) &&
    has(outcome, entry.outcome) &&
    has(gate, entry.gate) &&
    has(caller, entry.caller_id) &&
    has(session, entry.session_id) &&
    (text === undefined || JSON.stringify(entry).toLowerCase().includes(text.toLowerCase()))
  );
}

/** A question about a file that would be written. */
export const sampleQuestion = (text: (plain: string) => string = (plain) => plain, callId = "asked-1"): LiveQuestion => ({
  callId,
  workspace: text("/home/maria/projects/app"),
  since: Date.now() - 12_000,
  pid: 4711,
  model: text("anthropic/claude-sonnet-5"),
  title: text("Prepare the release"),
  question: {
    call_id: callId,
    tool: text("edit"),
    args: { path: text("src/parser.ts"), old_string: text("return [];"), new_string: text("return null;") },
    why: [text("edit changes files, and no rule allows it.")],
    touches: [{ kind: "path", access: "write", path: text("src/parser.ts") }],
    preview: text(
      `--- a/src/parser.ts\n+++ b/src/parser.ts\n@@ -1,3 +1,3 @@\n function parse(line) {\n-  if (line) return [];\n+  if (line === "") return null;\n }`,
    ),
    preview_whole: true,
    always_rule: text('[[tools.permissions.rules]]\nallow = "edit"\npath = "src/**"'),
    caller: text("maria"),
  },
});

const sampleRuns = (text: (plain: string) => string): LiveRun[] => [
  {
    pid: 4711,
    kind: text("chat"),
    workspace: text("/home/maria/projects/app"),
    since: Date.now() - 600_000,
    model: text("anthropic/claude-sonnet-5"),
    calls: [{ callId: "run-1", tool: text("bash"), args: { command: text("npm run build -- --watch") }, since: Date.now() - 8000 }],
  },
];

const sampleJudgement = (text: (plain: string) => string): JudgedNow => ({
  verdict: "deny",
  gates: [
    { gate: text("blocklist"), said: "pass" },
    { gate: text("files"), said: "pass" },
    { gate: text("scope"), said: "off" },
    {
      gate: "policy",
      said: "deny",
      rule: text("rule[0] deny"),
      why: text('rule[0] deny: tool=bash matched "bash", args_match "git push.*--force"'),
    },
    { gate: text("trust"), said: "pass" },
    { gate: "permissions", said: "ask", rule: text("force"), why: text('"git push --force" is asked about') },
    { gate: text("walls"), said: "pass" },
    { gate: text("sentinel"), said: "not asked" },
  ],
});

/** Several rounds of an ordinary day. */
function sampleCalls(text: (plain: string) => string): Partial<AuditEntry>[] {
  const common = {
    session_id: "53eec342-a0ad-488e-bfd4-06403f4351db",
    caller_id: text("maria"),
    trust: "trusted",
    cwd: text("/home/maria/projects/app"),
    sandbox: text("bubblewrap, network closed"),
  } as const;
  const ok = { ...common, outcome: "ok", approved_by: text("rules") } as const;
  const round: Partial<AuditEntry>[] = [
    { ...ok, tool: text("bash"), args: { command: text("git status") }, duration_ms: 592 },
    { ...ok, tool: text("read"), args: { path: text("src/parser.ts") }, duration_ms: 6 },
    {
      ...ok,
      tool: text("bash"),
      args: { command: text("npm test") },
      duration_ms: 1290,
      exit_code: 1,
      filter: text("npm-test"),
      truncated: true,
    },
    {
      ...common,
      outcome: "denied",
      tool: text("bash"),
      args: { command: text("git push origin main --force") },
      gate: text("policy"),
      rule: text("rule[0] deny"),
      why: text('rule[0] deny: tool=bash matched "bash"'),
      error: text("denied by policy"),
      duration_ms: 7,
    },
    {
      ...common,
      outcome: "unanswered",
      tool: text("write"),
      args: { path: text("docs/release-1.4.md"), content: text("# 1.4") },
      gate: text("permissions"),
      error: text("nobody answered"),
    },
    { ...ok, tool: text("fetch"), args: { url: text("https://docs.example.org/guide") }, approved_by: text("maria"), duration_ms: 412 },
    {
      ...common,
      outcome: "failed",
      tool: text("bash"),
      args: { command: text("tail -400 logs/app.log") },
      error: text("no such file"),
      error_category: "permanent_failure",
      duration_ms: 124,
      rollback: text("3 files restored"),
      hint: text("a wall may be the reason"),
    },
  ];
  return Array.from({ length: 9 }, () => round).flat();
}
