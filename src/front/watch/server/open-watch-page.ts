import type { IncomingMessage, ServerResponse } from "node:http";
import type { ConnectionPorts } from "../../../files/agent-process.ts";
import { requestUrl } from "../../http/server.ts";
import { WATCH_ASSETS } from "../assets/built-in-assets.ts";
import { findPage } from "../find-page.ts";
import { FORM_MARK } from "../forms.ts";
import { WATCH_ROUTES } from "../routes.ts";
import type { WatchRights, WatchRoute } from "../watch-route.ts";
import type { WatchSources } from "../watch-sources.ts";
import { sendPage, sendPlain, sendReplied } from "./answer-page.ts";
import { cookieOf } from "./cookie-of.ts";
import { doorPage } from "./door-page.ts";
import { createEntryCodes } from "./entry-code.ts";
import { openEventClients } from "./event-clients.ts";
import { readForm } from "./form-body.ts";
import { listenLocally } from "./loopback-address.ts";
import { PAGE_HEADERS } from "./page-headers.ts";
import { createReaderSessions, type ReaderSession } from "./reader-sessions.ts";
import { refuseVisitor } from "./refuse-visitor.ts";

export interface WatchPageParts {
  readonly sources: WatchSources;
  readonly rights: WatchRights;
  /** 0 takes one that is free. */
  readonly port: number;
  /** Who may come in, as the audit log names them. */
  readonly person: string;
  /** Why the program at the other end may not post; null where it may. */
  refusePeer(ends: ConnectionPorts): string | null;
  readonly platform?: NodeJS.Platform;
  readonly now?: () => number;
  readonly beatMs?: number;
  readonly routes?: readonly WatchRoute[];
}

export interface OpenWatchPage {
  /** `http://127.4.5.6:7890` */
  readonly origin: string;
  /** A link that opens the page once, within a minute. The one before is void. */
  link(): string;
  close(): Promise<void>;
}

const MOST_CONNECTIONS = 64;
/** The script of the page puts it into forms as they are sent. */
const TAB_KEY = "tab";
const NO_KEY = {
  status: 403,
  message: "Forbidden: on this machine forms are taken only from the tab in which the link was opened, and with scripts.",
};

/** Serves the pages to one person of this machine. There is no way to make it listen elsewhere. */
export async function openWatchPage(parts: WatchPageParts): Promise<OpenWatchPage> {
  const { sources, rights, person, now = Date.now, routes = WATCH_ROUTES } = parts;
  const codes = createEntryCodes(now);
  const sessions = createReaderSessions(now);
  const clients = openEventClients({ sources, rights, now, beatMs: parts.beatMs });
  const server = await listenLocally(parts, {
    mostConnections: MOST_CONNECTIONS,
    answer,
    failed: (response) => sendPlain(response, { status: 500, message: "This page failed." }),
  });
  const own = new URL(server.origin);
  const cookie = `zeph-${own.port}`;
  // Whatever listens at 127.0.0.1 is sent our cookie, so there a form also carries a key that lies in the tab, behind our port.
  const isShared = own.hostname === "127.0.0.1";

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = refuseVisitor(request, own);
    if (refused) return sendPlain(response, refused);
    const stranger = request.method === "POST" ? parts.refusePeer(request.socket) : null;
    if (stranger !== null) return sendPlain(response, { status: 403, message: `Forbidden: ${stranger}.` });
    const url = requestUrl(request);
    if (!url) return sendPlain(response, { status: 400, message: "Bad request: only a path is taken." });
    const asset = WATCH_ASSETS.find(({ path }) => path === url.pathname);
    if (asset) return void response.writeHead(200, { ...PAGE_HEADERS, "content-type": asset.type }).end(asset.text);
    if (url.pathname === "/enter") return enter(request, response);
    const session = sessions.find(cookieOf(request, cookie));
    if (!session)
      return sendPage(response, url.pathname === "/" ? 200 : 401, doorPage("Open the link that zeph watch printed, or give its code."));
    if (url.pathname === "/events" && request.method === "GET") return follow(response, session);
    await show(request, response, url, session);
  }

  async function enter(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST")
      return sendPlain(response, { status: 405, message: "This method is not for this address.", headers: { allow: "POST" } });
    const read = await readForm(request);
    if (!("form" in read)) return sendPlain(response, read);
    const taken = codes.take(read.form.get("token") ?? "");
    if (taken !== "right") {
      const words =
        taken === "worn"
          ? "Too many codes were wrong. Only a new link opens the page."
          : "This code was used already, or is wrong, or too old.";
      return sendPage(response, taken === "worn" ? 429 : 403, doorPage(words));
    }
    await sources.note(`the page of zeph watch was opened by ${person}`);
    const id = sessions.open();
    const headers = { ...PAGE_HEADERS, "set-cookie": `${cookie}=${id}; HttpOnly; SameSite=Strict; Path=/` };
    // A form goes on to the page; the script of the door loads it again by itself, where it is.
    if (request.headers.accept?.includes("text/html")) return void response.writeHead(303, { ...headers, location: "/" }).end();
    if (!isShared) return void response.writeHead(204, headers).end();
    response.writeHead(200, { ...headers, "content-type": "text/plain" }).end(sessions.find(id)?.key);
  }

  function follow(response: ServerResponse, { mark }: ReaderSession): void {
    if (!clients.add(response, mark))
      sendPlain(response, { status: 503, message: "Too many pages are open.", headers: { "retry-after": "10" } });
  }

  async function show(request: IncomingMessage, response: ServerResponse, url: URL, session: ReaderSession): Promise<void> {
    const found = findPage(routes, request.method ?? "GET", url.pathname);
    if ("refused" in found)
      return sendPlain(response, {
        status: found.status,
        message: found.refused,
        ...(found.allow !== undefined && { headers: { allow: found.allow } }),
      });
    const { route, words } = found;
    let form = new URLSearchParams();
    if (route.method === "POST") {
      const read = await readForm(request);
      if (!("form" in read)) return sendPlain(response, read);
      if (!session.isMark(read.form.get(FORM_MARK) ?? ""))
        return sendPlain(response, { status: 403, message: "Forbidden: this form is not ours." });
      if (isShared && !session.isKey(read.form.get(TAB_KEY) ?? "")) return sendPlain(response, NO_KEY);
      form = read.form;
    }
    if (route.needs !== undefined && !rights[route.needs])
      return sendPlain(response, { status: 403, message: `Forbidden: this page may not do that. Start zeph watch --${route.needs}.` });
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const asked = {
      path: url.pathname,
      query: url.searchParams,
      words,
      form,
      rights,
      mark: session.mark,
      person,
      now: now(),
      signal: gone.signal,
    };
    try {
      await sendReplied(sources, { request: asked, route, reply: await route.render(sources, asked) }, response);
    } catch (error) {
      const why = sources.redact(error instanceof Error ? error.message : String(error));
      sendPlain(response, { status: 500, message: `This page could not be made: ${why}` });
    }
  }

  return {
    origin: server.origin,
    link: () => `${server.origin}/#t=${codes.issue()}`,
    close: () => server.close(async () => clients.close()),
  };
}
