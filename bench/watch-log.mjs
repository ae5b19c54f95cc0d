// An audit log as months of work leave it, for bench/watch.mjs. As a program of its own it writes one: its memory is not that of what is measured.
import { closeSync, openSync, writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chainedLines } from "../dist/modules/store/audit/chain.js";

export const LINES = 120_000;
const BATCH = 1000;

/** A log of that many lines, with its chain, about calls in that folder. */
export function writeLog(audit, cwd) {
  const fd = openSync(audit, "wx", 0o600);
  let prev = "0".repeat(64);
  for (let from = 0; from < LINES; from += BATCH) {
    const { text, hashes } = chainedLines(
      Array.from({ length: BATCH }, (_, n) => entry(from + n, cwd)),
      prev,
    );
    writeSync(fd, text);
    prev = hashes.at(-1);
  }
  closeSync(fd);
}

/** Line n: five of six are calls, the rest intents and what went out. */
export function entry(n, cwd) {
  const id = `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
  const common = {
    ts: new Date(Date.UTC(2026, 7, 1) + n * 90_000).toISOString(),
    call_id: id,
    session_id: `session-${Math.floor(n / 200)}`,
  };
  if (n % 12 === 5)
    return {
      kind: "egress",
      ...common,
      tool: "fetch",
      url: `https://host-${n % 30}.example/x`,
      host: `host-${n % 30}.example`,
      hop: 0,
      ...(n % 5 ? { status: 200, bytes: 12_000 } : { blocked: "not allowed" }),
      duration_ms: 31.2,
    };
  const tool = ["bash", "read", "edit", "bash", "grep", "write", "bash", "fetch"][n % 8];
  const args =
    tool === "bash"
      ? { command: ["npm test", "git status", `node scripts/build-${n % 900}.mjs --all`, "npm run lint -- src"][n % 4] }
      : { path: `src/area-${n % 40}/module-${n % 2000}.ts` };
  if (n % 12 === 3) return { kind: "intent", ...common, tool, args, approved_by: "rules", cwd };
  const outcome = n % 13 === 0 ? "denied" : n % 29 === 0 ? "failed" : "ok";
  return {
    kind: "call",
    ...common,
    turn_id: `turn-${Math.floor(n / 10)}`,
    tool,
    args,
    trust: "trusted",
    phase: "planner",
    cwd,
    outcome,
    ...(outcome === "ok" && { approved_by: "rules" }),
    ...(outcome !== "ok" && {
      error_category: "policy_blocked",
      error: `"${JSON.stringify(args)}" is not allowed here by the rules of this project.`,
    }),
    ...(outcome === "denied" && { gate: ["permissions", "files", "policy"][n % 3], rule: "no rule" }),
    sandbox: "bubblewrap",
    duration_ms: 12.5,
    caller_id: `caller-${n % 5}`,
  };
}

const [, program, audit, cwd] = process.argv;
if (program === fileURLToPath(import.meta.url)) writeLog(audit, cwd);
