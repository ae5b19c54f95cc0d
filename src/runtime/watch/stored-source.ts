import { skillFolderOf, WITHDRAWN } from "../../core/ports/skill.ts";
import type { ServerRow, StoredSource } from "../../front/watch/watch-sources.ts";
import { serverIdentity } from "../../mcp/client/trust/definitions.ts";
import { shownAt } from "../../mcp/client/trust/secrets.ts";
import { openSkills, ownSkillFolders } from "../features/skill-folders.ts";
import type { Desk } from "../settings/stores.ts";
import { redactMessage } from "./redact-message.ts";
import type { AskedServers } from "./server-answers.ts";

export interface StoredParts {
  readonly cwd: string;
  readonly desk: Desk;
  readonly asked: AskedServers;
  redact(text: string): string;
}

/** What Zeph keeps about itself, from the store and the configuration. No server is asked for its definitions before a person wants that. */
export function createStoredSource({ cwd, desk, asked, redact }: StoredParts): StoredSource {
  const { conversations, memories, schedule, pins, trust, loaded, at } = desk;
  const own = ownSkillFolders({ home: at.home, env: process.env });
  const skills = openSkills({ config: loaded.config, workspace: cwd, home: at.home, trust, own });
  return {
    conversations: (limit) => conversations.list({ limit }),
    conversation: (id) => conversations.get(id),
    messages: async (id, window) =>
      (await conversations.messages(id, window)).map(({ position, message }) => ({ position, message: redactMessage(message, redact) })),
    memories: (limit) => memories.list({ limit }),
    forgetMemory: async (id) => (await memories.forget({ id })) > 0,
    async skills() {
      return (await skills.list()).map(({ name, description, folder, trust: level }) => ({
        name,
        description,
        place: folder,
        isTrusted: level === "trusted",
      }));
    },
    schedule: () => schedule.list(),
    removeTask: (id) => schedule.remove(id),
    async servers() {
      const configured = new Map(loaded.config.mcp.servers.map((server) => [serverIdentity(server), server]));
      const identities = new Set([...configured.keys(), ...(await pins.servers())]);
      const rows: ServerRow[] = [];
      for (const identity of identities) {
        const server = configured.get(identity);
        rows.push({
          server: identity,
          ...(server && { reached: shownAt(server), state: "configured" }),
          pins: (await pins.of(identity)).filter(({ tool }) => tool !== ""),
          changed: [],
          ...(server && asked.said.get(identity)),
        });
      }
      return rows;
    },
    askServers: asked.ask,
    forgetPins(server, tools) {
      asked.forget(server);
      return pins.forget(server, tools);
    },
    trust: async () => (await trust.list()).filter(({ hash }) => hash !== WITHDRAWN).map(({ subject, since }) => ({ subject, since })),
    async distrust(subject) {
      const folder = skillFolderOf(subject);
      const isOwn = folder !== null && (await skills.list()).some((skill) => skill.folder === folder && skill.origin === "own");
      // Without a record a skill of the person's own would be trusted.
      if (!isOwn) return trust.remove(subject);
      await trust.set(subject, WITHDRAWN);
      return true;
    },
  };
}
