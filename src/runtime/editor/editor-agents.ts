import { stored } from "../../agent/transcript.ts";
import { keyFiles } from "../../config/api-keys.ts";
import type { ZephEvent } from "../../core/event.ts";
import { ConversationError } from "../../core/ports/conversation-error.ts";
import type { Model } from "../../core/ports/model.ts";
import type { Store } from "../../core/ports/store.ts";
import type { EditorAgents, EditorSession, SessionRequest } from "../../front/acp/editor-agents.ts";
import { policyFor } from "../../host/sandbox/policy.ts";
import { waitAtMost } from "../../text/wait-within.ts";
import { openAgent } from "../agent/agent.ts";
import type { AgentOptions } from "../agent/agent-types.ts";
import type { OpenOptions } from "../runtime.ts";
import { createFolderRefusal } from "../serve/folder-refusal.ts";
import { openStores } from "../settings/stores.ts";
import { editorCommands } from "./commands.ts";
import { createModelChoice } from "./model-choice.ts";
import { addServers } from "./servers.ts";

/** What every session of an editor has in common. */
export interface EditorAgentsOptions extends Pick<AgentOptions & OpenOptions, "config" | "set" | "store" | "web" | "live"> {
  /** A model of your own, or the name of a provider; absent, as the configuration says. */
  readonly model?: Model | string;
  /** Where the configuration is read from when no session says where it works. */
  readonly cwd: string;
}

/** Agents behind the protocol that editors speak. Each session is an agent of its own. */
export function createEditorAgents(options: EditorAgentsOptions): EditorAgents {
  const { model, cwd: home, ...settings } = options;
  const kept = async <T>(cwd: string, work: (store: Store) => Promise<T>): Promise<T> => {
    const { store } = openStores(settings, cwd);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const open = async (id: string, isNew: boolean, wish: SessionRequest): Promise<EditorSession> => {
    const { cwd, host } = wish;
    const agentOptions: AgentOptions & Pick<OpenOptions, "live"> = {
      ...settings,
      cwd,
      callerId: id,
      ...(isNew ? { newConversation: id } : { conversation: id }),
      confirm: host.confirm,
      elicit: host.elicit,
      editor: host.editor,
      watch: true,
      onEventBetweenTurns: (event) => {
        if (BETWEEN.includes(event.type)) host.aside(event);
      },
    };
    const { llm, refused } = lookedInto(settings, cwd);
    const choice = await createModelChoice(llm, model, (chosen) =>
      openAgent({ ...agentOptions, ...(chosen !== undefined && { model: chosen }) }),
    );
    const { agent } = choice;
    // One that does not answer is waited for once, not with every prompt.
    const servers = waitAtMost(
      addServers(agent.zeph.mcp, wish.servers, (message) => host.aside({ type: "warning", message })),
      MOST_PATIENCE_MS,
    );
    return {
      cwd,
      warnings: [...(refused === null ? [] : [`No command can run in this session. ${refused}`]), ...agent.zeph.warnings],
      async *send(text, signal, beside) {
        // A server that has not answered yet may have tools that this turn needs.
        await until(servers, signal);
        const problem = await choice.settle();
        if (problem !== null) yield { type: "warning", message: problem } satisfies ZephEvent;
        yield* agent.send(text, { signal, ...beside });
      },
      commands: () => [...editorCommands(agent), ...agent.commands()],
      async *history() {
        const { store } = openStores(settings, cwd);
        try {
          if (await store.conversations.get(id)) for await (const { message } of stored(store.conversations, id, 0)) yield message;
        } finally {
          await store.close();
        }
      },
      openQuestions: () =>
        kept(cwd, async ({ openQuestions }) => (await openQuestions.list({ conversation: id })).map(({ question }) => question)),
      models: choice.models,
      useModel: async (value) => choice.use(value, () => agent.isBusy),
      redact: (text) => agent.zeph.redact(text),
      autonomy: () => agent.zeph.governance.autonomy(),
      chooseAutonomy: (autonomy) => agent.zeph.governance.chooseAutonomy(autonomy),
      close: () => agent.close(),
    };
  };
  return {
    refusal(folder) {
      const { at, store } = openStores(settings, folder);
      void store.close();
      return createFolderRefusal(at, INSTEAD)(folder);
    },
    begin: (id, wish) => open(id, true, wish),
    async resume(id, wish) {
      const known = await kept(wish.cwd, (store) => store.conversations.get(id));
      if (!known) return null;
      if (known.workspace !== wish.cwd)
        throw new ConversationError(`The session ${id} belongs to ${known.workspace}, and this is ${wish.cwd}. Open it there.`);
      return open(id, false, wish);
    },
    list: ({ cwd, limit }) => kept(home, (store) => store.conversations.list({ limit, ...(cwd !== undefined && { workspace: cwd }) })),
    delete: (id) => kept(home, (store) => store.conversations.delete(id)),
  };
}

const INSTEAD = "Open a folder of a project.";

/** What is told when no turn is under way: by slash commands, and by files that change. */
const BETWEEN: readonly ZephEvent["type"][] = ["warning", "reload", "compacted", "plan"];

/** The models there, and why commands would be refused in that folder: one hears of it at once, not in the middle of the work. */
function lookedInto(settings: Omit<EditorAgentsOptions, "cwd" | "model" | "web">, cwd: string) {
  const { config, at, userFile, store } = openStores(settings, cwd);
  void store.close();
  const { sandbox, shell } = config.tools;
  const own = [at.store, at.audit, at.notes, ...(userFile === null ? [] : [userFile])];
  const keys = keyFiles({ home: at.home, env: process.env });
  try {
    policyFor(sandbox, { cwd, home: at.home, own, keys, allowedPaths: shell.allowed_paths, env: process.env });
    return { llm: config.llm, refused: null };
  } catch (error) {
    return { llm: config.llm, refused: (error as Error).message };
  }
}

/** A server that takes longer is met later: its tools come when it has answered. */
const MOST_PATIENCE_MS = 10_000;

/** Waits for it, but not after the signal. */
const until = (work: Promise<void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      signal.removeEventListener("abort", go);
      resolve();
    };
    work.then(go, go);
    if (signal.aborted) go();
    else signal.addEventListener("abort", go, { once: true });
  });
