import type { Client } from "@modelcontextprotocol/client";
import { connected, type Revision } from "../mcp/server-support.ts";
import type { GatewayProcess } from "./gateway-process.ts";

/** A client of a person, as the SDK has it. */
export const connectPerson = (gateway: Pick<GatewayProcess, "url">, token: string, revision: Revision = "2025-11-25"): Promise<Client> =>
  connected(`${gateway.url}/mcp`, { revision, headers: { authorization: `Bearer ${token}` } });

export const callWrite = (to: Client, path: string, content = "written\n") => to.callTool({ name: "write", arguments: { path, content } });
export const callRead = (to: Client, path: string) => to.callTool({ name: "read", arguments: { path } });

/** Without it a write asks. */
export const ALLOW_WRITES = '[[tools.permissions.write]]\npattern = "*"\naction = "allow"\n';
