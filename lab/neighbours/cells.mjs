// What is tried with every client. A cell says what happened in words that are the same from run to run: whether the marker is there, what the
// model read, and what stands in the audit log. `good` is what it should be, and what may differ from client to client is said beside it.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BELOW } from "./model.mjs";
import { FILTER_CELL, RULE_CELL, WALLS_CELL } from "./more-cells.mjs";
import { hookdOf, kill } from "./place.mjs";
import { SNIPPET_CELL, SNIPPET_HTTP_CELL, SNIPPET_OFF_CELL, SNIPPET_SLOW_CELL } from "./snippet-cells.mjs";

const rule = (tool, pattern, action) => `[[tools.permissions.${tool}]]\npattern = "${pattern}"\naction = "${action}"\n`;
export const DENY = rule("bash", "touch ran*", "deny");
export const ASK = rule("bash", "touch ran*", "ask");
export const ALLOW = rule("bash", "*", "allow");
const TOUCH = { kind: "bash", command: "touch ran" };
const OUR_NO = /zeph \w+: /;
const NO_ANSWER = /zeph did not answer/;

/** How a call that came to nothing is told: not run, with our reason read by the model. */
const HELD = (audit) => `not run, reason read, audit ${audit}`;
const RAN = (audit) => `ran, output read, audit ${audit}`;

function told({ place, model }, n = 0, reason = OUR_NO) {
  const text = model.read[n];
  const read = text === undefined ? "nothing read" : reason.test(text) ? "reason read" : "output read";
  const lines = place.audit().filter(({ kind }) => kind === "call");
  return `${existsSync(join(place.work, "ran")) ? "ran" : "not run"}, ${read}, audit ${strictest(lines.map(({ verdict }) => verdict))}`;
}

const strictest = (verdicts) => ["deny", "ask", "allow"].find((one) => verdicts.includes(one)) ?? "none";

export const CELLS = {
  deny: {
    about: "a command that a rule denies",
    good: HELD("deny"),
    run: async (open) => told(await open.alone({ rules: DENY, steps: [TOUCH] })),
  },
  "deny write": {
    about: "a file that a rule forbids to write",
    good: HELD("deny"),
    run: async (open) =>
      told(
        await open.alone({
          rules: rule("write", "*ran", "deny"),
          steps: ({ work }) => [{ kind: "write", path: join(work, "ran"), content: "x" }],
        }),
      ),
  },
  allow: {
    about: "a command that a rule allows",
    good: RAN("allow"),
    run: async (open) => told(await open.alone({ rules: ALLOW, steps: [TOUCH] })),
  },
  "ask alone": {
    about: "a question with nobody there",
    good: HELD("ask"),
    run: async (open) => told(await open.alone({ rules: ASK, steps: [TOUCH] })),
  },
  "ask yes": {
    about: "a question at a terminal, answered with yes",
    good: "shown, ran, output read, audit ask",
    not: { codex: "a question makes its hook fail, so Zeph denies; see approve" },
    run: (open) => asked(open, "yes"),
  },
  "ask no": {
    about: "a question at a terminal, answered with no",
    good: "shown, not run, audit ask",
    not: { codex: "a question makes its hook fail, so Zeph denies; see approve" },
    run: async (open) => (await asked(open, "no")).replace(/, (?:nothing|reason|output) read/, ""),
  },
  approve: {
    about: "denied with an id, approved by a person, called again",
    good: "not run, reason read, audit ask; then ran, output read, audit ask",
    not: Object.fromEntries(["claude", "qwen", "copilot"].map((name) => [name, "it puts or refuses the question itself"])),
    async run(open) {
      let first = null;
      const steps = (place, model) => [
        TOUCH,
        {
          ...TOUCH,
          before() {
            first = told({ place, model });
            const id = /zeph hook approve (\w+)/.exec(model.read[0] ?? "")?.[1] ?? "none";
            const line = `${process.execPath} ${join(place.package, "bin/zeph.cjs")} hook approve ${id}`;
            const { work: cwd, env } = place;
            spawnSync("script", ["-qec", line, "/dev/null"], { cwd, env, input: "y\n", timeout: 30_000 });
          },
        },
      ];
      return told(await open.alone({ rules: ASK, steps }), 1).replace(/^/, `${first}; then `);
    },
  },
  "unknown tool": {
    about: "a tool that Zeph has no row for, with nobody there",
    good: "reason read, audit ask",
    not: { pi: "each of its tools is known" },
    run: async (open, { client }) => told(await open.alone({ mcp: client === "codex", steps: [UNKNOWN[client]] })).replace("not run, ", ""),
  },
  "mcp tool": {
    about: "a tool of an MCP server that no rule speaks of, with nobody there",
    good: HELD("ask"),
    not: { pi: "it has no MCP servers of its own" },
    run: async (open, { mcpTool }) => told(await open.alone({ mcp: true, steps: [mcpTool] })),
  },
  crash: {
    about: "the program of the hook crashes",
    good: HELD("none"),
    run: (open) => damaged(open, "kill -SEGV $$"),
  },
  missing: {
    about: "the program of the hook is not there",
    good: HELD("none"),
    run: (open) => damaged(open, null),
  },
  hang: {
    about: "hookd stands still for ten seconds",
    good: HELD("allow"),
    run: (open) =>
      disturbed(open, ({ pid }) => {
        kill(pid, "SIGSTOP");
        setTimeout(() => kill(pid, "SIGCONT"), 10_000).unref();
      }),
  },
  garbage: {
    about: "something else answers on the socket of hookd",
    good: HELD("allow"),
    run: (open) =>
      disturbed(open, async ({ pid, place }) => {
        kill(pid);
        await listenIn(place);
      }),
  },
  "hookd killed": {
    about: "hookd is killed while a call waits for it",
    good: HELD("allow"),
    run: (open) =>
      disturbed(open, ({ pid }) => {
        kill(pid, "SIGSTOP");
        setTimeout(() => kill(pid), 1500).unref();
      }),
  },
  "agent below": {
    about: "a command that a rule denies, called by an agent that the agent started",
    good: "not run, audit deny",
    not: { pi: "it starts no agents" },
    async run(open, { agent }) {
      // Some go on while the other one works, and would be done before it.
      const wait = async (model) => {
        for (let n = 0; n < 100 && model.below.length === 0; n++) await sleep(200);
      };
      const steps = (_place, model) => [agent(BELOW), { kind: "bash", command: "true", before: () => wait(model) }];
      return told(await open.alone({ rules: DENY, steps, below: [TOUCH] })).replace(/, (?:nothing|reason|output) read/, "");
    },
  },
  filter: FILTER_CELL,
  "client rule": RULE_CELL,
  walls: WALLS_CELL,
  snippet: SNIPPET_CELL,
  "snippet http": SNIPPET_HTTP_CELL,
  "snippet slow": SNIPPET_SLOW_CELL,
  "snippet off": SNIPPET_OFF_CELL,
};

/** Names for several cells. */
export const SETS = { snippets: ["snippet", "snippet http", "snippet slow", "snippet off"] };

const UNKNOWN = {
  claude: { tool: "Skill", args: { skill: "init" } },
  codex: { tool: "list_mcp_resources", args: {} },
  gemini: { tool: "google_web_search", args: { query: "x" } },
  qwen: { tool: "skill", args: { skill: "loop" } },
  opencode: { tool: "skill", args: { name: "x" } },
  copilot: { tool: "sql", args: { description: "x", query: "select 1" } },
};

async function asked(open, answer) {
  const { place, model, shown } = await open.seated({ rules: ASK, steps: [TOUCH], question: /zeph permissions/, answer });
  return `${shown ? "shown" : "not shown"}, ${told({ place, model })}`;
}

/** The hooks are installed, and then somebody breaks the program that they name. */
async function damaged(open, script) {
  const after = (place) => {
    const program = join(place.package, "bin/zeph-hook");
    rmSync(program);
    if (script === null) return;
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
  };
  return told(await open.alone({ rules: ALLOW, steps: [TOUCH], after }), 0, NO_ANSWER);
}

/** A first call finds everything in order; then something happens to hookd, and the next call would be allowed. */
async function disturbed(open, disturb) {
  const steps = (place) => [
    { kind: "bash", command: "true" },
    { ...TOUCH, before: () => disturb({ pid: hookdOf(place.home), place }) },
  ];
  const ended = await open.alone({ rules: ALLOW, steps });
  return told(ended, 1, NO_ANSWER);
}

/** Somebody else takes over the socket, and answers with what is no answer. */
async function listenIn(place) {
  const at = join(place.home, ".local/state/zeph/hook/hook.sock");
  await sleep(300);
  rmSync(at, { force: true });
  const server = createServer((socket) => socket.on("error", () => {}).end("hello, this is no answer\n{}\n")).unref();
  await new Promise((resolve) => server.listen(at, resolve));
}
