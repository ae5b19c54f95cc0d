import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { RequestRefusal } from "../../http/guard.ts";
import type { Html } from "../html.ts";
import { pageFrame } from "../page-frame.ts";
import type { WatchDocument, WatchPage, WatchReply, WatchRequest, WatchRoute } from "../watch-route.ts";
import type { WatchSources } from "../watch-sources.ts";
import { PAGE_HEADERS } from "./page-headers.ts";

export function sendPage(response: ServerResponse, status: number, page: Html): void {
  response.writeHead(status, { ...PAGE_HEADERS, "content-type": "text/html; charset=utf-8" }).end(String(page));
}

export function sendPlain(response: ServerResponse, { status, message, headers }: RequestRefusal): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { ...PAGE_HEADERS, "content-type": "text/plain; charset=utf-8", ...headers }).end(`${message}\n`);
}

/** Sends what a route replied: a page in its frame, what its table gives out, or where to go. */
export async function sendReplied(sources: WatchSources, { request, route, reply }: Replied, response: ServerResponse): Promise<void> {
  if ("goTo" in reply) return void response.writeHead(303, { ...PAGE_HEADERS, location: reply.goTo }).end();
  if ("refused" in reply) return sendPlain(response, { status: reply.status, message: reply.refused });
  if ("document" in reply) return sendDocument(response, reply);
  const exported = exportOf(reply, request.query.get("format"));
  if (exported !== null)
    return void response
      .writeHead(200, { ...PAGE_HEADERS, "content-type": exported.type, "content-disposition": `attachment; filename="${exported.file}"` })
      .end(exported.text);
  const [facts, questions] = await Promise.all([sources.facts(), sources.live.questions()]);
  const page = pageFrame({
    path: request.path,
    title: reply.title ?? route.title,
    lead: reply.lead,
    body: reply.body,
    facts,
    check: sources.log.lastCheck(),
    rights: request.rights,
    waiting: questions.length,
  });
  sendPage(response, reply.status ?? 200, page);
}

/** Nothing but its own style: what is in it is to be read and printed. */
function sendDocument(response: ServerResponse, { document, style }: WatchDocument): void {
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`;
  response.writeHead(200, { ...PAGE_HEADERS, "content-security-policy": policy, "content-type": "text/html; charset=utf-8" }).end(document);
}

interface Replied {
  readonly request: WatchRequest;
  readonly route: WatchRoute;
  readonly reply: WatchReply;
}

function exportOf({ table }: WatchPage, format: string | null) {
  if (!table) return null;
  if (format === "csv") return { type: "text/csv; charset=utf-8", file: `zeph-${table.name}.csv`, text: table.csv() };
  return format === "jsonl" ? { type: "application/x-ndjson; charset=utf-8", file: `zeph-${table.name}.jsonl`, text: table.jsonl() } : null;
}
