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

/** Who has a page open. */
export interface EventReader {
  /** The form mark of this reader. */
  readonly mark: string;
  /** Whether the session goes on: who may not open a page any more hears nothing either. */
  isIn(): boolean;
  /** Whether it shows calls. Then it is told the last ones again: some may have ended after its page was made, or while it was cut off. */
  readonly wantsLatest: boolean;
}

/** Pages that are open, each with its own reader. */
export interface EventClients {
  /** False where too many are open. */
  add(response: ServerResponse, reader: EventReader): boolean;
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
  const clients = new Map<ServerResponse, EventReader>();
  let stop: (() => void) | null = null;

  const send = (response: ServerResponse, text: string) => {
    if (response.writableLength > MOST_UNSENT) response.destroy();
    else if (!clients.get(response)?.isIn()) response.end();
    else response.write(text);
  };
  const tellCalls = (calls: readonly LoggedLine[], to: Iterable<ServerResponse> = clients.keys()) => {
    const rows = calls.slice(-MOST_ROWS).map((line) => String(liveRow(line)));
    if (rows.length > 0) for (const response of to) if (clients.has(response)) send(response, eventText("calls", rows));
  };
  const tellLatest = async (to: Iterable<readonly [ServerResponse, EventReader]>) => {
    const wanting = [...to].filter(([, { wantsLatest }]) => wantsLatest).map(([response]) => response);
    if (wanting.length > 0) tellCalls((await sources.log.find({ from: 0, limit: MOST_ROWS })).calls.toReversed(), wanting);
  };
  /** A log that cannot be read now is read at the next change. */
  const tryTellingLatest = (to: Iterable<readonly [ServerResponse, EventReader]>) => void tellLatest(to).catch(() => {});
  /** Nothing means that the log is followed from now on. */
  const takeCalls = (calls: readonly LoggedLine[]) => (calls.length > 0 ? tellCalls(calls) : tryTellingLatest(clients));
  const tellQuestions = async (to: Iterable<readonly [ServerResponse, EventReader]>) => {
    const questions = (await sources.live.questions()).map((one) => redactQuestion(one, sources.redact));
    for (const [response, { mark }] of to) if (clients.has(response)) send(response, eventText("questions", cards(questions, mark)));
  };
  const cards = (questions: readonly LiveQuestion[], mark: string) => ({
    cards: questions.map((one): Html => questionCard(one, { mark, rights, now: now() })).join("\n"),
    count: questions.length,
  });
  /** Questions that cannot be read now are read at the next change. */
  const tryTelling = (to: Iterable<readonly [ServerResponse, EventReader]>) => void tellQuestions(to).catch(() => {});

  /** Nobody looks, nothing is followed. */
  const follow = () => {
    const ends = [sources.log.follow(takeCalls), sources.live.follow(() => tryTelling(clients))];
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
    add(response, reader) {
      if (clients.size >= MOST_CLIENTS) return false;
      response.writeHead(200, { ...PAGE_HEADERS, "content-type": "text/event-stream; charset=utf-8" });
      response.write("retry: 1000\n\n");
      clients.set(response, reader);
      response.once("close", () => {
        clients.delete(response);
        if (clients.size === 0) stop?.();
      });
      if (!stop) follow();
      tryTelling([[response, reader]]);
      tryTellingLatest([[response, reader]]);
      return true;
    },
    close() {
      stop?.();
      for (const response of clients.keys()) response.end();
      clients.clear();
    },
  };
}

/** JSON has no line ends, so the data is one line. */
const eventText = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
