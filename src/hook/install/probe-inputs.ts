import type { ClientName } from "../client.ts";

/** Sessions that begin so are Zeph's own questions to itself, and no client's. */
export const OWN_SESSION = "zeph-hook-";

export interface RecordedCalls {
  /** A call that no settings allow: the blocklist comes before every rule. */
  readonly denied: object;
  /** A call that reads a file of the folder, or lists it. */
  readonly allowed: object;
}

const DENIED = "sudo ls /";

type Recorded = (at: { readonly cwd: string; readonly session: string }) => RecordedCalls;

/** Inputs as clients send them; only folder, session and arguments are ours. */
const RECORDED: Readonly<Record<ClientName, Recorded>> = {
  claude: claudeLike("PreToolUse", "Bash", ["Read", "file_path"]),
  codex: ({ cwd, session }) => {
    const call = (tool_name: string, tool_input: object) => ({
      session_id: session,
      transcript_path: null,
      cwd,
      hook_event_name: "PreToolUse",
      tool_name,
      tool_input,
      tool_use_id: "call_zeph",
    });
    // No command: rules about some make all others a question, which is a no there.
    return { denied: call("Bash", { command: DENIED }), allowed: call("view_image", { path: `${cwd}/README.md` }) };
  },
  gemini: claudeLike("BeforeTool", "run_shell_command", ["read_file", "file_path"], { timestamp: "2026-01-01T00:00:00.000Z" }),
  qwen: claudeLike("PreToolUse", "run_shell_command", ["read_file", "file_path"], { permission_mode: "default" }),
  copilot: ({ cwd, session }) => {
    const call = (toolName: string, toolArgs: object) => ({ sessionId: session, timestamp: 1_760_000_000_000, cwd, toolName, toolArgs });
    return { denied: call("bash", { command: DENIED, description: "list" }), allowed: call("view", { path: `${cwd}/README.md` }) };
  },
  opencode: ({ cwd, session }) => {
    const call = (tool: string, args: object) => ({
      ev: "before",
      directory: cwd,
      input: { tool, sessionID: session, callID: "call_zeph" },
      args,
      canAsk: false,
    });
    return {
      denied: call("bash", { command: DENIED, description: "list" }),
      allowed: call("read", { filePath: `${cwd}/README.md` }),
    };
  },
  pi: ({ cwd, session }) => {
    const call = (toolName: string, input: object) => ({
      ev: "tool_call",
      cwd,
      session,
      toolName,
      toolCallId: "call_zeph",
      input,
      hasUI: false,
    });
    return { denied: call("bash", { command: DENIED }), allowed: call("read", { path: `${cwd}/README.md` }) };
  },
  cursor: ({ cwd, session }) => {
    const common = { conversation_id: session, generation_id: "g", workspace_roots: [cwd] };
    return {
      denied: { ...common, hook_event_name: "beforeShellExecution", command: DENIED, cwd },
      allowed: { ...common, hook_event_name: "beforeReadFile", file_path: `${cwd}/README.md`, content: "" },
    };
  },
};

export const recordedCalls = (client: ClientName, at: { readonly cwd: string; readonly session: string }): RecordedCalls =>
  RECORDED[client](at);

function claudeLike(event: string, shell: string, [read, path]: readonly [string, string], more: object = {}): Recorded {
  return ({ cwd, session }) => {
    const call = (tool_name: string, tool_input: object) => ({
      session_id: session,
      transcript_path: "",
      cwd,
      hook_event_name: event,
      tool_name,
      tool_input,
      tool_use_id: "call_zeph",
      ...more,
    });
    return { denied: call(shell, { command: DENIED, description: "list" }), allowed: call(read, { [path]: `${cwd}/README.md` }) };
  };
}

/** How a hook ended, and what it printed. */
export interface HookAnswer {
  readonly code: number | null;
  readonly stdout: string;
}

/** What an answer means to a client; null where it means nothing, which most clients take for a yes. */
export function verdictIn({ code, stdout }: HookAnswer): "deny" | "ask" | "pass" | null {
  if (code === 2) return "deny";
  if (code !== 0) return null;
  if (stdout.trim() === "") return "pass";
  const said = wordIn(stdout);
  return said === undefined ? null : said === "deny" || said === "ask" ? said : "pass";
}

function wordIn(stdout: string): unknown {
  try {
    const data = JSON.parse(stdout) as Record<string, unknown>;
    const { hookSpecificOutput: inner = {} } = data as { readonly hookSpecificOutput?: Record<string, unknown> };
    return data.permissionDecision ?? inner.permissionDecision ?? data.permission ?? data.decision ?? data.verdict ?? "allow";
  } catch {
    return undefined;
  }
}
