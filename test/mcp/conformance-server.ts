import { type HttpServed, serveHttp } from "../../src/front/mcp-server/http.ts";
import { type Offer, UnknownTool } from "../../src/front/mcp-server/offer.ts";
import { openMcpSession } from "../../src/front/mcp-server/session.ts";
import { createWorkspaces } from "../../src/front/mcp-server/workspaces.ts";
import { equip } from "./conformance-equip.ts";
import { OWN_STATE, SUITE_TOOLS } from "./conformance-tools.ts";

/** Zeph's server with the tools of the suite in place of Zeph's. The suite knows no token, so none is asked for. */
export const conformanceServer = (): Promise<HttpServed> =>
  serveHttp({
    host: "127.0.0.1",
    port: 0,
    authorize: () => null,
    isBelowAgent: () => false,
    workspacesOf: () => createWorkspaces([], process.cwd()),
    open: () => openMcpSession({ open: async () => suiteOffer(), equip, warn: () => {} }),
  });

function suiteOffer(): Offer {
  const listeners = new Set<() => void>();
  return {
    tools: () => SUITE_TOOLS.map(({ tool }) => tool),
    ownStates: (state) => state.startsWith(OWN_STATE),
    async call(name, args, { context, ask, tell }) {
      const found = SUITE_TOOLS.find(({ tool }) => tool.name === name);
      if (!found) throw new UnknownTool(`Unknown tool: ${name}`);
      const toolsChanged = () => {
        for (const changed of listeners) changed();
      };
      return found.run(args as Record<string, unknown>, { context, ask, tell, toolsChanged });
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    async close() {},
  };
}
