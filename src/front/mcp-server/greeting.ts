import { OF_FOLDERS, OF_MARKS } from "../../core/told.ts";

/** The revisions that begin with `initialize`, the newest first. The SDK's, which a client is answered before that is read; a test compares them. */
export const GREETED_REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"] as const;

/** What every client is told. */
export const INSTRUCTIONS = [
  "Tools that act on the person's own machine, behind their rules. A call that is refused says why; do not work around it.",
  `bash keeps cd and exports for the whole session; ${OF_FOLDERS}`,
  "Calls sent together run side by side: send one that needs another's result or change after its answer.",
  "bash with background: true returns at once; wait with the tool background. An end is told with the next result, as [background complete].",
  OF_MARKS,
].join(" ");

export const TOOLS_CAPABILITY = { tools: { listChanged: true } };
/** What is no tool: what this session did, what the rules are, and words for a person to begin with. */
export const TEXTS_CAPABILITY = { resources: {}, prompts: {} };

export const serverInfo = (version: string) => ({ name: "zeph", title: "Zeph", version });

/** What `zeph mcp` answers to `initialize`. */
export const greetingFor = (asked: string, version: string) => ({
  protocolVersion: (GREETED_REVISIONS as readonly string[]).includes(asked) ? asked : GREETED_REVISIONS[0],
  capabilities: { ...TOOLS_CAPABILITY, ...TEXTS_CAPABILITY },
  serverInfo: serverInfo(version),
  instructions: INSTRUCTIONS,
});
