import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ClientCapabilities,
  type ClientConnection,
  client,
  methods,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type Stream,
  type ToolCallContent,
} from "@agentclientprotocol/sdk";
import { onTestFinished } from "vitest";
import { serveEditor } from "../../src/front/acp/serve.ts";
import { createEditorAgents, type EditorAgentsOptions } from "../../src/runtime/editor/editor-agents.ts";
import { type Workspace, workspace } from "../workspace.ts";

export interface Told {
  readonly sessionId: string;
  readonly update: SessionUpdate;
}
type Update<T extends SessionUpdate["sessionUpdate"]> = Extract<SessionUpdate, { sessionUpdate: T }>;

export interface EditorOptions {
  readonly can?: ClientCapabilities;
  readonly permit?: (asked: RequestPermissionRequest) => RequestPermissionResponse | Promise<RequestPermissionResponse>;
  readonly read?: (path: string) => string;
  readonly elicit?: (asked: unknown) => unknown;
  /** Before a terminal is opened; what it throws is the editor's answer. */
  readonly opening?: () => void | Promise<void>;
}

/** An editor as the protocol sees it, with files and terminals that are real. */
export interface TestEditor {
  readonly connection: ClientConnection;
  readonly agent: ClientConnection["agent"];
  readonly told: Told[];
  readonly asked: RequestPermissionRequest[];
  /** Everything in the order it came, by name. */
  readonly order: string[];
  readonly terminals: Map<string, TestTerminal>;
  of<T extends SessionUpdate["sessionUpdate"]>(kind: T): Update<T>[];
  text(): string;
  initialize(): Promise<unknown>;
  begin(cwd: string): Promise<string>;
  prompt(sessionId: string, text: string): Promise<string>;
}

export interface TestTerminal {
  readonly child: ChildProcess;
  readonly ended: Promise<{ exitCode: number | null; signal: string | null }>;
  readonly argv: readonly string[];
  output: string;
  killed: boolean;
  released: boolean;
}

export function editorOn(stream: Stream, options: EditorOptions = {}): TestEditor {
  const told: Told[] = [];
  const asked: RequestPermissionRequest[] = [];
  const order: string[] = [];
  const terminals = new Map<string, TestTerminal>();
  const { can = {} } = options;
  const app = client({ name: "test editor" })
    .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
      told.push({ sessionId, update });
      order.push(update.sessionUpdate);
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      order.push("request_permission");
      return (await options.permit?.(params)) ?? { outcome: { outcome: "cancelled" } };
    })
    .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
      order.push(`read ${path}`);
      return { content: options.read?.(path) ?? readFileSync(path, "utf8") };
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
      order.push(`write ${path}`);
      writeFileSync(path, content);
    })
    .onRequest(methods.client.elicitation.create, async ({ params }) => (await options.elicit?.(params)) as never)
    .onRequest(methods.client.terminal.create, async ({ params: { command, args = [], cwd, env = [] } }) => {
      order.push("terminal/create");
      await options.opening?.();
      const child = spawn(command, args, {
        ...(cwd && { cwd }),
        env: { ...process.env, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
      });
      const one: TestTerminal = {
        child,
        argv: [command, ...args],
        output: "",
        killed: false,
        released: false,
        ended: new Promise((resolve) => child.on("close", (exitCode, signal) => resolve({ exitCode, signal }))),
      };
      for (const from of [child.stdout, child.stderr])
        from.on("data", (chunk) => {
          one.output += chunk;
        });
      onTestFinished(() => void child.kill("SIGKILL"));
      terminals.set(`t${terminals.size}`, one);
      return { terminalId: `t${terminals.size - 1}` };
    })
    .onRequest(methods.client.terminal.waitForExit, ({ params }) => terminals.get(params.terminalId)!.ended)
    .onRequest(methods.client.terminal.output, ({ params }) => ({ output: terminals.get(params.terminalId)!.output, truncated: false }))
    .onRequest(methods.client.terminal.kill, ({ params }) => {
      const one = terminals.get(params.terminalId)!;
      one.killed = true;
      one.child.kill("SIGKILL");
    })
    .onRequest(methods.client.terminal.release, ({ params }) => {
      terminals.get(params.terminalId)!.released = true;
    });
  const connection = app.connect(stream);
  onTestFinished(() => connection.close());
  const { agent } = connection;
  const of = <T extends SessionUpdate["sessionUpdate"]>(kind: T) =>
    told.map(({ update }) => update).filter((update): update is Update<T> => update.sessionUpdate === kind);
  return {
    connection,
    agent,
    told,
    asked,
    order,
    terminals,
    of,
    text: () => of("agent_message_chunk").map(chunkText).join(""),
    initialize: () => agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: can }),
    begin: async (cwd) => (await agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId,
    prompt: async (sessionId, text) =>
      (await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })).stopReason,
  };
}

export const chunkText = ({ content }: { content: { type: string; text?: string } }): string => content.text ?? "";

export const contentText = (content: readonly ToolCallContent[] | null | undefined): string =>
  (content ?? []).map((one) => (one.type === "content" && one.content.type === "text" ? one.content.text : "")).join("\n");

export interface Room {
  readonly place: Workspace;
  readonly editor: TestEditor;
  /** Another connection to the same store. */
  again(options?: EditorOptions & Pick<RoomOptions, "model">): Promise<TestEditor>;
}

type RoomOptions = EditorOptions &
  Omit<Partial<EditorAgentsOptions>, "config"> & { readonly config?: object | ((place: Workspace) => object) };

/** An editor and an agent in this process, with a store and a workspace of their own. */
export async function room({ config = {}, ...options }: RoomOptions = {}): Promise<Room> {
  const place = workspace();
  onTestFinished(place.remove);
  const kept = { audit: { path: join(place.state, "audit.jsonl") }, store: { path: join(place.state, "zeph.db") } };
  const again = async (other: EditorOptions & Pick<RoomOptions, "model"> = {}) => {
    const { model, web, set, ...editorOptions } = { ...options, ...other };
    const [ours, theirs] = pair();
    const desk = createEditorAgents({
      cwd: place.work,
      config: { ...kept, ...(typeof config === "function" ? config(place) : config) },
      ...(model !== undefined && { model }),
      ...(web && { web }),
      ...(set && { set }),
    });
    const serving = serveEditor(ours, desk, { version: "0.0.0" });
    onTestFinished(() => serving.close());
    const editor = editorOn(theirs, editorOptions);
    await editor.initialize();
    return editor;
  };
  return { place, editor: await again(), again };
}

/** Two ends of one connection. */
export function pair(): [Stream, Stream] {
  const there = new TransformStream();
  const back = new TransformStream();
  return [
    { readable: there.readable, writable: back.writable },
    { readable: back.readable, writable: there.writable },
  ] as [Stream, Stream];
}

/** Resolves when it is so; whoever waits too long is told for what. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !isSo(); ) {
    if (Date.now() > end) throw new Error(`It is not so after ${PATIENCE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
const PATIENCE_MS = 60_000;
