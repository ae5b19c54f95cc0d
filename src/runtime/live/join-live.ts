import { askPeer } from "../../host/ask-peer.ts";
import { type LiveSeat, type LiveServer, openLiveServer } from "../../live/live-server.ts";
import type { LiveRunFacts } from "../../live/run-record.ts";
import { makeFolder } from "../../store/folder.ts";

/** One socket for the process, whatever runs in it. */
const servers = new Map<string, Promise<LiveServer>>();

/** A runtime is seen by other processes of this user until it leaves. Rejects where there can be no socket. */
export async function joinLive(folder: string, facts: LiveRunFacts): Promise<LiveSeat> {
  const opening = servers.get(folder) ?? openIn(folder);
  servers.set(folder, opening);
  try {
    const server = await opening;
    const seat = server.join(facts);
    return {
      ...seat,
      leave() {
        const left = seat.leave();
        if (left > 0 || servers.get(folder) !== opening) return left;
        servers.delete(folder);
        server.close();
        return left;
      },
    };
  } catch (error) {
    servers.delete(folder);
    throw error;
  }
}

async function openIn(folder: string): Promise<LiveServer> {
  makeFolder(folder);
  return openLiveServer(folder, (connection, writable) => askPeer({ ...connection, writable }));
}
