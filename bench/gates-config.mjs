// The rules the gates are measured with: many of them, and none that ends the search early.

const TOOLS = ["read", "write", "bash", "edit", "fetch", "mcp__github__*", "*_path", "delete_path"];
const CONDITIONS = [
  (n) => ({ paths: [`secrets-${n}/**`] }),
  (n) => ({ paths: [`**/*.key${n}`], trust_level: "provisional" }),
  (n) => ({ env: [`ZEPH_BENCH_${n}`] }),
  () => ({ trust_level: "untrusted" }),
];
const EXPRESSIONS = [
  (n) => `rm\\s+-rf?\\s+/opt/service-${n}`,
  (n) => `(?i)password-${n}\\s*=\\s*\\S+`,
  (n) => `^https?://host-${n}\\.(internal|local)/`,
  (n) => `git\\s+push\\s+.*--force.*release-${n}`,
];

/** 256 rules as people write them: for one tool each, by path, trust or variable; so many of them are expressions, for every tool. */
export function rules(expressions, count = 256) {
  return Array.from({ length: count }, (_, n) => {
    // Spread over the list, as they would be.
    const isExpression = Math.floor(((n + 1) * expressions) / count) > Math.floor((n * expressions) / count);
    if (isExpression) return { effect: "deny", tool: "*", args_match: EXPRESSIONS[n % EXPRESSIONS.length](n) };
    return { effect: "deny", tool: TOOLS[n % TOOLS.length], ...CONDITIONS[Math.floor(n / TOOLS.length) % CONDITIONS.length](n) };
  });
}

/** The same number of rules, each of which has to be looked at for every call. */
export const everyTool = (count = 256) =>
  Array.from({ length: count }, (_, n) => ({ effect: "deny", tool: "*", paths: [`secrets-${n}/**`] }));

/** Every gate on. The last rules of the list are those of authorization. */
export function everything(list) {
  return {
    tools: {
      max_tool_calls_per_session: 1_000_000_000,
      scope: { enabled: true, require_capability: true },
      policy: { enabled: true, default_effect: "allow", rules: list.slice(0, -16) },
      authorization: { enabled: true, rules: list.slice(-16) },
      scoped: {
        enabled: true,
        denied_tools: ["delete_path"],
        constraints: [
          { tool: "read", deny_patterns: ["id_rsa", ".pem"], allowed_paths: ["src"] },
          { tool: "write", deny_patterns: ["BEGIN PRIVATE KEY"], allowed_paths: ["src"] },
          { tool: "bash", deny_patterns: ["mkfs", "shutdown"], min_trust: "provisional" },
        ],
      },
      permissions: {
        read: [
          { pattern: "private/**", action: "deny" },
          { pattern: "*", action: "allow" },
        ],
        write: [
          { pattern: "private/**", action: "deny" },
          { pattern: "src/**", action: "allow" },
        ],
        bash: [
          { pattern: "git push *", action: "deny" },
          { pattern: "*", action: "allow" },
        ],
      },
      governance: {
        trajectory_enabled: true,
        block_risky_patterns: true,
        blocked_sequences: Array.from({ length: 50 }, (_, n) => ["bash", "rm", "-rf", `/opt/service-${n}`]),
        private_paths: ["private/**"],
      },
      anomaly: { enabled: true },
      utility: { enabled: true },
    },
  };
}

/** A sequence of calls that ended badly; each is another one. */
export const sequence = (n) => [
  ["read", "path", `src/module-${n}.ts`],
  ["bash", "command", "make", `target-${n % 37}`],
  ["write", "path", `src/module-${n}.ts`],
  ["bash", "command", "./deploy.sh", `service-${n}`, "--production"],
];

const WORDS = ["npm test -- --run", "git status", "grep -rn TODO src", "ls -la src | head -20", "cd src && make -j4"];
/** Ordinary calls, each another one: what was seen before may be remembered. */
export const CALLS = {
  read: (n) => ["read", { path: `src/file-${n % 200}.ts` }],
  write: (n) => ["write", { path: `src/new-${n}.ts`, content: `export const value = ${n};\n`.repeat(20) }],
  bash: (n) => ["bash", { command: `${WORDS[n % WORDS.length]} # ${n}` }],
};
