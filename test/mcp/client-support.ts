import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { ToolCall } from "../../src/core/call.ts";
import { outputOf } from "../../src/core/draft.ts";
import { ToolError } from "../../src/core/error.ts";
import type { Elicit } from "../../src/core/ports/elicitation.ts";
import type { Serve } from "../../src/core/ports/served.ts";
import type { Pins } from "../../src/core/ports/store.ts";
import { createRegistry } from "../../src/core/registry.ts";
import { ToolRequest } from "../../src/core/request.ts";
import type { Progress, ToolOutput } from "../../src/core/tool.ts";
import { type Clients, type ClientsParts, openClients } from "../../src/mcp/client/clients.ts";
import { mcpConfig, type ServerConfig } from "../../src/mcp/config.ts";
import { openStore } from "../../src/store/open.ts";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Every field as the configuration fills it in. */
export const serverConfig = (server: Record<string, unknown>): ServerConfig => mcpConfig().parse({ servers: [server] }).servers[0]!;

export const hostile = (mode: string, more: Record<string, unknown> = {}): ServerConfig => {
  const { file, ...rest } = more;
  const args = [here("./hostile.mjs"), mode, ...(file === undefined ? [] : [file])];
  return serverConfig({ name: "bad", command: process.execPath, args, timeout_secs: 60, ...rest });
};
export const good = (more: Record<string, unknown> = {}, ...args: string[]): ServerConfig =>
  serverConfig({ name: "good", command: process.execPath, args: [here("./client-good.mjs"), ...args], timeout_secs: 20, ...more });

/** A file the hostile server writes down in what it is told. */
export function diary(): { readonly file: string; lines(): string[]; count(line: string): number } {
  const folder = mkdtempSync(join(tmpdir(), "zeph-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "diary");
  const lines = () => readFileSync(file, "utf8").split("\n").filter(Boolean);
  return { file, lines, count: (line) => lines().filter((one) => one.startsWith(line)).length };
}

/** Programs as they are, without walls. `alive` tells how many run. */
export function plainServe(): { serve: Serve; readonly children: ChildProcessWithoutNullStreams[]; alive(): number } {
  const children: ChildProcessWithoutNullStreams[] = [];
  const serve: Serve = async ({ argv: [command, ...args], env }) => {
    const child = spawn(command, args, { env: { PATH: process.env.PATH, ...env } });
    await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
    children.push(child);
    let said = "";
    child.stderr.on("data", (chunk) => {
      said = (said + chunk).slice(-2000);
    });
    child.stdin.on("error", () => {});
    const served = {
      walls: { backend: "none", layers: [], network: "open" } as const,
      pid: child.pid,
      onOutput: (_chunk: Uint8Array) => {},
      write: (bytes: Uint8Array | string) =>
        new Promise<void>((resolve, reject) => child.stdin.write(bytes, (error) => (error ? reject(error) : resolve()))),
      ended: new Promise<{ exitCode: number | null; signal?: string; said: string }>((resolve) =>
        child.once("close", (exitCode, signal) => resolve({ exitCode, ...(signal && { signal }), said })),
      ),
      stop: async () => {
        child.kill("SIGKILL");
        await served.ended;
      },
    };
    child.stdout.on("data", (chunk) => served.onOutput(chunk));
    return served;
  };
  return { serve, children, alive: () => children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).length };
}

export interface Bench {
  readonly clients: Clients;
  readonly warnings: string[];
  readonly programs: ReturnType<typeof plainServe>;
  names(): string[];
  call(name: string, args?: unknown, options?: { signal?: AbortSignal; tell?: (progress: Progress) => void }): Promise<ToolOutput>;
  /** The error of a call that fails. */
  failure(name: string, args?: unknown, options?: { signal?: AbortSignal; tell?: (progress: Progress) => void }): Promise<ToolError>;
}

/** A real registry, a real store, and real programs. */
export async function bench(
  servers: readonly ServerConfig[],
  more: Partial<ClientsParts> & { elicit?: Elicit | null; pins?: Pins } = {},
): Promise<Bench> {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const programs = plainServe();
  const registry = createRegistry({ builtIn: [], aliases: new Map(), warn });
  const store = more.pins ? null : openStore("memory");
  const clients = await openClients({
    servers,
    register: registry.add,
    serve: programs.serve,
    pins: more.pins ?? store!.pins,
    elicit: null,
    roots: ["/the/workspace"],
    tokens: null,
    warn,
    ...more,
  });
  await clients.meet();
  onTestFinished(async () => {
    await clients.close();
    await store?.close();
  });
  const call: Bench["call"] = async (name, args = {}, { signal = new AbortController().signal, tell = () => {} } = {}) => {
    const parsed = ToolCall.parse(ToolRequest.from({ id: "1", name, args }, () => true)!, registry.tools());
    if (parsed instanceof ToolError) throw parsed;
    const permit = { call: parsed } as never;
    return outputOf(await parsed.tool.run(permit, { signal, tell, host: {} as never, turn: {} as never }));
  };
  const failure: Bench["failure"] = async (name, args, options) => {
    const outcome = await call(name, args, options).then(
      (output) => output,
      (error: unknown) => error,
    );
    if (outcome instanceof ToolError) return outcome;
    throw new Error(`it did not fail as it should: ${String((outcome as ToolOutput).text ?? outcome)}`);
  };
  return { clients, warnings, programs, names: () => [...registry.tools().keys()], call, failure };
}
