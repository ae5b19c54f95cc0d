import type { Pin, Pins } from "../../../core/ports/store.ts";
import type { Transactions } from "../pg.ts";

export const createSharedPins = (db: Transactions): Pins => ({
  of: (server) => db.all<Pin>("select tool, hash, definition, since from mcp_pins where server = ? order by tool", server),
  put: async (server, all) => {
    // The last of a name counts, and in one order: two who put the same tools wait for each other, and neither for both.
    const pins = [...new Map(all.map((pin) => [pin.tool, pin])).values()].sort((a, b) => (a.tool < b.tool ? -1 : 1));
    if (pins.length === 0) return;
    await db.run(
      `insert into mcp_pins (server, tool, hash, definition, since)
       select ?, tool, hash, definition, ?::bigint from unnest(?::text[], ?::text[], ?::text[]) as given (tool, hash, definition)
       on conflict (tenant, server, tool) do update set hash = excluded.hash, definition = excluded.definition, since = excluded.since`,
      server,
      Date.now(),
      pins.map(({ tool }) => tool),
      pins.map(({ hash }) => hash),
      pins.map(({ definition }) => definition),
    );
  },
  forget: (server, tools) =>
    tools === undefined
      ? db.run("delete from mcp_pins where server = ?", server)
      : db.run("delete from mcp_pins where server = ? and tool = any(?::text[])", server, tools),
  servers: async () =>
    (await db.all<{ server: string }>("select distinct server from mcp_pins order by server")).map(({ server }) => server),
});
