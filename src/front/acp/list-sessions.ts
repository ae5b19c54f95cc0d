import type { ListSessionsResponse } from "@agentclientprotocol/sdk";
import type { Conversation } from "../../core/ports/store.ts";
import { visible } from "../../text/visible.ts";
import type { EditorAgents } from "./editor-agents.ts";

const PAGE = 50;
/** Older ones are found with `zeph sessions`. */
const MOST = 5000;

/** A page of what was talked about, newest first. Null for a cursor that is none of ours. */
export async function listSessions(
  desk: EditorAgents,
  cwd: string | undefined,
  cursor: string | undefined,
): Promise<ListSessionsResponse | null> {
  const after = cursor === undefined ? null : placeOf(cursor);
  if (cursor !== undefined && after === null) return null;
  const found = await desk.list({ limit: after === null ? PAGE + 1 : MOST, ...(cwd !== undefined && { cwd }) });
  // A place and not a number of items: what changes meanwhile moves up and makes nothing come twice.
  const rest = after === null ? found : found.filter((one) => isAfter(one, after));
  const page = rest.slice(0, PAGE);
  const last = page.at(-1);
  return {
    sessions: page.map(({ id, workspace, title, updatedAt }) => ({
      sessionId: id,
      cwd: workspace,
      title: visible(title),
      updatedAt: new Date(updatedAt).toISOString(),
    })),
    ...(rest.length > PAGE && last && { nextCursor: `${last.updatedAt}.${last.id}` }),
  };
}

interface Place {
  readonly at: number;
  readonly id: string;
}

function placeOf(cursor: string): Place | null {
  const found = /^(\d{1,16}(?:\.\d{1,6})?)\.([\w-]{1,64})$/.exec(cursor);
  return found ? { at: Number(found[1]), id: found[2]! } : null;
}

/** The order of the store: by time, then by id, both downwards. */
const isAfter = ({ updatedAt, id }: Conversation, { at, id: last }: Place) => updatedAt < at || (updatedAt === at && id < last);
