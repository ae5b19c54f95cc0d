import type { ServerRow } from "../../front/watch/watch-sources.ts";
import { serverIdentity } from "../../mcp/client/trust/definitions.ts";
import type { Desk, FileSettings } from "../settings/stores.ts";

/** What the servers of the configuration said when a person last had them asked. */
export interface AskedServers {
  /** By the identity of the server. */
  readonly said: ReadonlyMap<string, Pick<ServerRow, "state" | "why" | "changed" | "askedAt">>;
  /** Starts or reaches each of them as `zeph mcp diff` does, and ends them again. Who asks while that is under way waits for the same answer. */
  ask(): Promise<void>;
  /** What was agreed to has changed, so the comparison does not hold any more. */
  forget(server: string): void;
  close(): Promise<void>;
}

export interface AskedServersParts {
  readonly cwd: string;
  readonly settings: Pick<FileSettings, "config" | "set">;
  readonly desk: Pick<Desk, "loaded">;
}

export function openAskedServers({ cwd, settings, desk }: AskedServersParts): AskedServers {
  const said = new Map<string, Pick<ServerRow, "state" | "why" | "changed" | "askedAt">>();
  let asking: Promise<void> | null = null;

  const askAll = async () => {
    const [{ openRuntime }, { whileOpen }] = await Promise.all([import("../create.ts"), import("../../text/while-open.ts")]);
    const { zeph } = await openRuntime({ ...settings, cwd });
    await whileOpen(zeph, async ({ mcp }) => {
      // One that was met for the first time has been tried already.
      await Promise.all(mcp.states().map(({ name, state }) => (state === "idle" ? mcp.connect(name) : undefined)));
      const askedAt = Date.now();
      const states = new Map(mcp.states().map((state) => [state.name, state]));
      said.clear();
      for (const server of desk.loaded.config.mcp.servers) {
        const found = states.get(server.name);
        if (!found) continue;
        const changed = mcp
          .drift(server.name)
          .map(({ tool, kind, before, after }) => ({ tool, kind, before: before ?? "", after: after ?? "" }));
        said.set(serverIdentity(server), { state: found.state, changed, askedAt, ...(found.why !== undefined && { why: found.why }) });
      }
    });
  };
  return {
    said,
    ask() {
      asking ??= askAll().finally(() => {
        asking = null;
      });
      return asking;
    },
    forget: (server) => void said.delete(server),
    // The servers are ended with the runtime that asked them.
    close: async () => void (await asking?.catch(() => {})),
  };
}
