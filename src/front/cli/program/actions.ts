import { homedir } from "node:os";
import { readAnswerFlags } from "../../../question/flags.ts";
import { type Desk, openDesk } from "../../../runtime/create.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { runAudit } from "../audit.ts";
import { openConsole } from "../chat/console.ts";
import { withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import { assertPersonDecides } from "../hook/client-above.ts";
import { type Io, UsageError } from "../io.ts";
import { batch } from "../run/batch.ts";
import { call, dryRun } from "../run/call.ts";
import { runConfig } from "../settings/config.ts";
import { runInit } from "../settings/init.ts";
import { runMigrate } from "../settings/migrate.ts";
import { runTrust } from "../settings/trust.ts";
import { listenForStop } from "../stop.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { tools } from "../tools.ts";
import { type Invocation, splitCommand } from "./invocation.ts";

/** Returns the exit code. */
type Action = (given: Invocation) => Promise<number>;

/**
 * What each command does. One module on purpose: reading one larger file is faster than reading twenty small ones.
 * Whatever needs a model is read when it is used.
 */
export const ACTIONS: Readonly<Record<string, Action>> = {
  zeph: talk,
  "--migrate-config": ({ flags, settings: { config }, terminal }) =>
    runMigrate([...(flags.dryRun ? ["--dry-run"] : []), ...(config === undefined ? [] : [`--config=${config}`])], ioOf(terminal)),
  call: runCall,
  filter: async (given) =>
    (await import("../filter/filter.ts")).filter({ ...splitCommand(given), flags: given.flags }, given.settings, given.terminal),
  policy: async (given) => (await import("../policy/policy.ts")).policy(given),
  tools: ({ words: [name], flags, settings, terminal }) => tools(name, flags.json ? "json" : "text", settings, terminal),
  mcp: async (given) => (await import("../mcp/mcp.ts")).mcp(given),
  acp: async (given) => (await import("../acp.ts")).serveAcp(given),
  store: async (given) => (await import("../fleet/store.ts")).store(given),
  serve: async (given) => (await import("../fleet/serve.ts")).serve(given),
  worker: async (given) => (await import("../fleet/worker.ts")).worker(given),
  submit: async (given) => (await import("../fleet/submit.ts")).submit(given),
  fleet: async (given) => (await import("../fleet/fleet.ts")).fleet(given),
  demo: async ({ terminal }) => (await import("../demo/demo.ts")).demo(terminal),
  run: async (given) => (await import("../run/run.ts")).run(given),
  answer: async (given) => (await import("../ask/answer.ts")).answer(given),
  watch: async (given) => (await import("../watch/watch.ts")).watch(given),
  sessions: async (given) => (await import("../sessions.ts")).sessions(given),
  report: async (given) => (await import("../report.ts")).printReport(given),
  memory: async (given) => (await import("../memory.ts")).memory(given),
  skills: async (given) => (await import("../skills/skills.ts")).skills(given),
  schedule: async (given) => (await import("../schedule/schedule.ts")).schedule(given),
  doctor: async ({ flags, settings, terminal }) => {
    const { cleanCaches, doctor } = await import("../doctor/doctor.ts");
    const wish = { form: flags.json ? "json" : "text", asks: flags.online ? "online" : "offline" } as const;
    return flags.clean ? cleanCaches(terminal) : doctor(wish, settings, terminal);
  },
  hook: async (given) => (await import("../hook/hook.ts")).hook(given),
  exec: async (given) => (await import("../hook/exec.ts")).exec(given),
  hookd: async (given) => (await import("../hook/hookd.ts")).hookd(given),
  audit: readAudit,
  config: showConfig,
  init: ({ words, terminal }) => runInit(words, ioOf(terminal)),
  import: async (given) => (await import("../import/import.ts")).importSettings(given),
  trust: async ({ words, settings, terminal }) =>
    whileOpen(openDesk(process.cwd(), settings), ({ trust, loaded, at }) => {
      if (!words.includes("--list")) assertPersonDecides(at, "zeph trust");
      return runTrust(words, ioOf(terminal), trust, loaded.config);
    }),
  completion: async ({ words: [shell], terminal }) => {
    const { completionFor } = await import("./completion.ts");
    terminal.stdout.write(completionFor(shell));
    return EXIT.ok;
  },
};

/** Without a terminal there is nobody to chat with; the console reads its lines from stdin. */
async function talk({ flags, settings, terminal }: Invocation): Promise<number> {
  if (flags.continue !== undefined || flags.model !== undefined)
    throw new UsageError('A chat needs a terminal. Without one give the model a task: zeph run "…".');
  return openConsole(settings, terminal);
}

async function runCall({ words: [tool, json], flags, settings, terminal }: Invocation): Promise<number> {
  const answers = readAnswerFlags(flags);
  const form = flags.json ? "json" : "text";
  if (flags.batch) {
    if (tool !== undefined || flags.dryRun)
      throw new UsageError("--batch reads its calls from stdin, and runs them: it takes no tool and no --dry-run.");
    return batch(answers, settings, terminal);
  }
  if (tool === undefined || json === undefined) throw new UsageError(tool === undefined ? NO_TOOL : noArguments(tool));
  return flags.dryRun ? dryRun(tool, json, form, settings, terminal) : call(tool, json, { form, answers }, settings, terminal);
}

const NO_TOOL = `Say which tool to call, and with what: zeph call read '{"path":"README.md"}'. \`zeph tools\` lists them.`;
const noArguments = (tool: string) =>
  `The arguments of ${tool} are missing. Give them as JSON, or - to read it from stdin; \`zeph tools ${tool}\` shows what it takes.`;

async function readAudit({ words, settings, terminal }: Invocation): Promise<number> {
  const { signal } = listenForStop();
  return withStores(settings, terminal, ({ audit }) =>
    runAudit(words, { ...terminal, isTTY: terminal.out.isColorSupported, signal }, audit),
  );
}

async function showConfig({ words, settings: { config, set }, terminal }: Invocation): Promise<number> {
  const given = [...(config === undefined ? [] : [`--config=${config}`]), ...set.map((one) => `--set=${one}`)];
  // Only a project's file needs the store. `zeph config` must work where nothing else does.
  let desk: Desk | null = null;
  const trust = {
    get: (subject: string) => {
      desk ??= openDesk(process.cwd(), { set, ...(config !== undefined && { config }) });
      return desk.trust.get(subject);
    },
  };
  try {
    return await runConfig(words[0] === "schema" ? words : [...words, ...given], ioOf(terminal), trust);
  } finally {
    await (desk as Desk | null)?.close();
  }
}

const ioOf = ({ stdout, stderr }: Terminal): Io => ({ stdout, stderr, cwd: process.cwd(), home: homedir(), env: process.env });
