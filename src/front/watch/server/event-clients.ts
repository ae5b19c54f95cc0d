import type { ServerResponse } from "node:http";
import type { Html } from "../html.ts";
import { liveRow } from "../parts/call-columns.ts";
import { questionCard } from "../parts/question-card.ts";
import { redactQuestion } from "../parts/redact-question.ts";
import type { WatchRights } from "../watch-route.ts";
import type { LiveQuestion, LoggedLine, WatchSources } from "../watch-sources.ts";
import { PAGE_HEADERS } from "./page-headers.ts";

/** A browser opens six at most to one server; a few browsers may look. */
const MOST_CLIENTS = 24;
const BEAT_MS = 15_000;
/** The page keeps fourteen rows: of a burst the newest are sent. */
const MOST_ROWS = 14;
/** Whoever takes nothing is not waited for. */
const MOST_UNSENT = 1024 * 1024;

/** Pages that are open, each with the form mark of its own reader. */
export interface EventClients {
  /** False where too many are open. */
  add(response: ServerResponse, mark: string): boolean;
  count(): number;
  close(): void;
}

export interface EventClientParts {
  readonly sources: WatchSources;
  readonly rights: WatchRights;
  readonly now: () => number;
  /** How often a page hears that we are here; default: 15 seconds. */
  readonly beatMs?: number | undefined;
}

export function openEventClients({ sources, rights, now, beatMs = BEAT_MS }: EventClientParts): EventClients {
  const clients = new Map<ServerResponse, string>();
  let stop: (() => void) | null = null;

  const send = (response: ServerResponse, text: string) => {
    if (response.writableLength > MOST_UNSENT) response.destroy();
    else response.write(text);
  };
  const tellCalls = (calls: readonly LoggedLine[]) => {
    const rows = calls.slice(-MOST_ROWS).map((line) => String(liveRow(line)));
    if (rows.length > 0) for (const response of clients.keys()) send(response, eventText("calls", rows));
  };
  const tellQuestions = async (to: Iterable<readonly [ServerResponse, string]>) => {
    const questions = (await sources.live.questions()).map((one) => redactQuestion(one, sources.redact));
    for (const [response, mark] of to) if (clients.has(response)) send(response, eventText("questions", cards(questions, mark)));
  };
  const cards = (questions: readonly LiveQuestion[], mark: string) => ({
    cards: questions.map((one): Html => questionCard(one, { mark, rights, now: now() })).join("\n"),
    count: questions.length,
  });
  /** Questions that cannot be read now are read at the next change. */
  const tryTelling = (to: Iterable<readonly [ServerResponse, string]>) => void tellQuestions(to).catch(() => {});

  /** Nobody looks, nothing is followed. */
  const follow = () => {
    const ends = [sources.log.follow(tellCalls), sources.live.follow(() => tryTelling(clients))];
    const beat = setInterval(() => {
      for (const response of clients.keys()) send(response, ": here\n\n");
    }, beatMs);
    stop = () => {
      clearInterval(beat);
      for (const end of ends) end();
      stop = null;
    };
  };

  return {
    add(response, mark) {
      if (clients.size >= MOST_CLIENTS) return false;
      response.writeHead(200, { ...PAGE_HEADERS, "content-type": "text/event-stream; charset=utf-8" });
      response.write("retry: 1000\n\n");
      clients.set(response, mark);
      response.once("close", () => {
        clients.delete(response);
        if (clients.size === 0) stop?.();
      });
      if (!stop) follow();
      tryTelling([[response, mark]]);
      return true;
    },
    count: () => clients.size,
    close() {
      stop?.();
      for (const response of clients.keys()) response.end();
      clients.clear();
    },
  };
}

/** JSON has no line ends, so the data is one line. */
const eventText = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
