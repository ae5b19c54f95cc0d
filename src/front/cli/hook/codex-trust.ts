import { realpathSync } from "node:fs";
import { createInterface } from "node:readline";
import { startProgram } from "../../../files/programs.ts";
import { type ClientFile, readClientFile } from "../../../hook/install/client-file.ts";
import { CODEX_PLAN } from "../../../hook/install/clients/codex.ts";
import { type FoundHook, hookCommands } from "../../../hook/install/edit-text.ts";
import type { InstallPlace } from "../../../hook/install/install-hooks.ts";
import { isOwnCommand } from "../../../hook/install/mark.ts";
import { isRecord } from "../../../text/json.ts";
import { visible } from "../../../text/visible.ts";
import { printError } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { programOnPath } from "./client-version.ts";
import { isKeyOf } from "./codex-config.ts";

const LIMIT_MS = 30_000;

interface CodexHook {
  readonly key: string;
  readonly currentHash: string;
  readonly trustStatus: string;
}

/**
 * Asks Codex for the hooks it knows, shows those of Zeph, and has Codex write that they are trusted: the hash is Codex's own, and so is the file.
 * Only ever called for `--trust-codex-hooks`. Returns whether they are trusted then.
 */
export async function trustCodexHooks({ cwd }: InstallPlace, file: ClientFile, terminal: Terminal): Promise<boolean> {
  const program = programOnPath("codex");
  if (program === null) {
    printError(terminal, "codex is not on PATH, so nothing was trusted. Open codex and type /hooks.");
    return false;
  }
  try {
    const tell = ({ event, command }: FoundHook) => terminal.stdout.write(visible(`Codex is told to trust (${event}): ${command}\n`));
    return await haveCodexTrust({ program, cwd, env: process.env }, file, tell);
  } catch (error) {
    printError(terminal, `codex did not take the trust (${(error as Error).message}). Open codex and type /hooks.`);
    return false;
  }
}

interface CodexProgram {
  readonly program: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Has this Codex trust the hooks of ours in a file. Returns whether they are trusted then; throws where Codex does not do that. */
export async function haveCodexTrust(codex: CodexProgram, file: ClientFile, tell: (hook: FoundHook) => void): Promise<boolean> {
  const own = hookCommands(CODEX_PLAN, readClientFile(file) ?? "").filter(({ command }) => isOwnCommand("codex")(command));
  const path = realpathSync(file.path);
  const server = openAppServer(codex);
  try {
    await server.call("initialize", { clientInfo: { name: "zeph", version: "1" } });
    server.tell("initialized");
    own.forEach(tell);
    const known = await askHooks(server, codex.cwd, path, own);
    if (known.length !== own.length) throw new Error("it does not know all of these hooks");
    const edits = known.map(({ key, currentHash }) => ({
      keyPath: `hooks.state.${JSON.stringify(key)}.trusted_hash`,
      value: currentHash,
      mergeStrategy: "upsert",
    }));
    await server.call("config/batchWrite", { edits, reloadUserConfig: true });
    return (await askHooks(server, codex.cwd, path, own)).every(({ trustStatus }) => trustStatus === "trusted");
  } finally {
    server.close();
  }
}

/** Those of the file that are Zeph's, by their places: what else stands in it is nobody's to trust here. */
async function askHooks(server: AppServer, cwd: string, file: string, own: readonly FoundHook[]): Promise<readonly CodexHook[]> {
  const answer = await server.call("hooks/list", { cwds: [cwd] });
  const data = isRecord(answer) && Array.isArray(answer.data) ? answer.data : [];
  const hooks = data.flatMap((one) => (isRecord(one) && Array.isArray(one.hooks) ? one.hooks : []));
  return hooks.filter(
    (one): one is CodexHook => isCodexHook(one) && one.key.startsWith(`${file}:`) && own.some((hook) => isKeyOf(one.key, hook)),
  );
}

const isCodexHook = (one: unknown): one is CodexHook =>
  isRecord(one) && ["key", "currentHash", "trustStatus"].every((name) => typeof one[name] === "string");

type AppServer = ReturnType<typeof openAppServer>;

function openAppServer({ program, cwd, env }: CodexProgram) {
  const child = startProgram(program, ["app-server"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const waiting = new Map<number, (answer: Record<string, unknown>) => void>();
  let last = 0;
  const send = (message: object) => void child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  child.stdin!.on("error", () => {});
  createInterface({ input: child.stdout! }).on("line", (line) => {
    try {
      const message = JSON.parse(line) as Record<string, unknown>;
      waiting.get(message.id as number)?.(message);
    } catch {}
  });
  const call = (method: string, params: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++last;
      const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), LIMIT_MS);
      child.once("error", reject);
      child.once("exit", () => reject(new Error("it ended")));
      waiting.set(id, (answer) => {
        clearTimeout(timer);
        waiting.delete(id);
        if (isRecord(answer.error)) reject(new Error(String(answer.error.message)));
        else resolve(answer.result);
      });
      send({ id, method, params });
    });
  return { call, tell: (method: string) => send({ method }), close: () => void child.kill() };
}
