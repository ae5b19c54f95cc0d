import { drained } from "../http/adapter.ts";
import { refusal } from "./reply.ts";
import type { Route } from "./request.ts";

export const AUDIT_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/audit",
    roles: ["auditor"],
    isStream: true,
    async answer({ door, url, response }) {
      const given = url.searchParams.get("since");
      const since = given === null ? null : new Date(given);
      if (since !== null && Number.isNaN(since.getTime())) return refusal(400, '"since" is a time: 2026-11-17T12:00:00Z.');
      const pages = door.auditLines(since)[Symbol.asyncIterator]();
      // What goes wrong before the first page is an answer; after it the connection breaks, so that nobody takes a part for the whole.
      let page = await pages.next();
      response.writeHead(200, { "content-type": "application/x-ndjson", "cache-control": "no-store" });
      const closed = new Promise((resolve) => void response.once("close", resolve));
      try {
        for (; !page.done && !response.destroyed; page = await pages.next())
          if (!response.write(page.value) && !(await drained(response, closed))) response.destroy();
        response.end();
      } catch {
        response.destroy();
      } finally {
        await pages.return?.();
      }
      return null;
    },
  },
];
