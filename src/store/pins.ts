import type { Pin, Pins } from "../core/ports/store.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

export function createPins(db: Sqlite): Pins {
  const of = db.statement<Pin>("select tool, hash, definition, since from mcp_pins where server = ? order by tool");
  const put = db.statement(
    `insert into mcp_pins (server, tool, hash, definition, since) values (?, ?, ?, ?, ?)
     on conflict (server, tool) do update set hash = excluded.hash, definition = excluded.definition, since = excluded.since`,
  );
  const forgetOne = db.statement("delete from mcp_pins where server = ? and tool = ?");
  const forgetAll = db.statement("delete from mcp_pins where server = ?");
  const servers = db.statement<{ server: string }>("select distinct server from mcp_pins order by server");
  return {
    of: async (server) => of.all(server),
    put: async (server, all) =>
      db.together(() => {
        const since = Date.now();
        for (const { tool, hash, definition } of all) put.run(server, tool, hash, definition, since);
      }),
    forget: async (server, tools) =>
      db.together(() => (tools === undefined ? forgetAll.run(server) : tools.reduce((sum, tool) => sum + forgetOne.run(server, tool), 0))),
    servers: async () => servers.all().map(({ server }) => server),
  };
}
