import type { ServerRow, StoredSource } from "../../front/watch/watch-sources.ts";
import { serverIdentity } from "../../mcp/client/trust/definitions.ts";
import { shownAt } from "../../mcp/client/trust/secrets.ts";
import { openSkills, ownSkillsFolder } from "../features/skill-folders.ts";
import type { Desk } from "../settings/stores.ts";

export interface StoredParts {
  readonly cwd: string;
  readonly desk: Desk;
}

/** What Zeph keeps about itself, from the store and the configuration. No server is asked for its definitions. */
export function createStoredSource({ cwd, desk }: StoredParts): StoredSource {
  const { conversations, memories, schedule, pins, trust, loaded, at } = desk;
  return {
    conversations: (limit) => conversations.list({ limit }),
    conversation: (id) => conversations.get(id),
    messages: (id, window) => conversations.messages(id, window),
    memories: (limit) => memories.list({ limit }),
    forgetMemory: async (id) => (await memories.forget({ id })) > 0,
    async skills() {
      const own = ownSkillsFolder({ home: at.home, env: process.env });
      const found = await openSkills({ config: loaded.config, workspace: cwd, home: at.home, trust, own }).list();
      return found.map(({ name, description, folder, trust: level }) => ({
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
        });
      }
      return rows;
    },
    forgetPins: (server, tools) => pins.forget(server, tools),
    trust: async () => (await trust.list()).map(({ subject, since }) => ({ subject, since })),
    distrust: (subject) => trust.remove(subject),
  };
}
