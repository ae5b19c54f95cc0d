import type { CallToolResult, ElicitResult, InputRequiredResult, ServerContext } from "@modelcontextprotocol/server";
import type { Progress } from "../../core/tool.ts";
import type { ClientAsks, ClientQuestion, Offer, OngoingCall } from "./offer.ts";

export type CallAnswer = CallToolResult | InputRequiredResult;

/** A question on its way to the person, and where the answer goes. */
export interface Waiting extends ClientQuestion {
  answer(given: ElicitResult | null): void;
}

/** A call under way. It outlives the request that began it when the client is asked something in between. */
export interface Running {
  stop(): void;
  /** Follows the call on behalf of this request, until it has a result or a question for the client to come back with. */
  follow(context: ServerContext): Promise<{ readonly result: CallAnswer } | { readonly question: Waiting }>;
}

export interface CallStart {
  readonly offer: Offer;
  readonly name: string;
  readonly args: unknown;
  readonly asks: ClientAsks;
  /** Puts a question over the client's connection; absent where the answer has to come with the client's next request. */
  readonly push?: (asked: ClientQuestion, context: ServerContext, signal: AbortSignal) => Promise<ElicitResult | null>;
  /** Waits until no other question is open that this one would get in the way of. */
  inTurn(work: () => Promise<ElicitResult | null>, signal: AbortSignal): Promise<ElicitResult | null>;
}

export function createRunningCall({ offer, name, args, asks, push, inTurn }: CallStart, first: ServerContext): Running {
  const stopping = new AbortController();
  const tell = telling();
  let context = first;
  let came = openLetter<Waiting>();
  const during: OngoingCall = {
    signal: stopping.signal,
    asks,
    get context() {
      return context;
    },
    tell: (progress) => tell(progress, context),
    async ask(asked) {
      if (!("url" in asked.params ? asks.url : asks.form)) return null;
      const signal = AbortSignal.any([stopping.signal, ...(asked.signal ? [asked.signal] : [])]);
      const put = () => (push ? push(asked, context, signal) : left(signal, (answer) => came.send({ ...asked, answer })));
      return inTurn(put, signal);
    },
  };
  const result = Promise.resolve().then(async () => ({ result: await offer.call(name, args, during) }));
  result.catch(() => {});
  return {
    stop: () => stopping.abort(),
    async follow(now) {
      context = now;
      const { signal } = now.mcpReq;
      // Between two requests nobody can cancel the call; the question's own time limit counts then.
      const stop = () => stopping.abort();
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        return await Promise.race([result, came.letter.then((question) => ({ question }))]);
      } finally {
        signal.removeEventListener("abort", stop);
        if (came.isSent()) came = openLetter();
      }
    },
  };
}

/** Something one side leaves and the other takes, once. */
function openLetter<T>() {
  let send!: (content: T) => void;
  let isSent = false;
  const letter = new Promise<T>((resolve) => {
    send = (content) => {
      isSent = true;
      resolve(content);
    };
  });
  return { letter, send, isSent: () => isSent };
}

/** An answer that somebody else gives, or nobody once it is called off. */
const left = (signal: AbortSignal, leave: (answer: (given: ElicitResult | null) => void) => void): Promise<ElicitResult | null> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(null), { once: true });
    leave(resolve);
  });

/** A client that does not read must not be flooded. */
const LEAST_MS = 20;

/** Progress as a client takes it: asked for, growing, and not too much at once. */
function telling() {
  let last = Number.NEGATIVE_INFINITY;
  let at = Number.NEGATIVE_INFINITY;
  return ({ message, done, total }: Progress, { mcpReq }: ServerContext): void => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined || mcpReq.signal.aborted) return;
    const progress = done ?? Math.max(0, last) + 1;
    const now = performance.now();
    if (!(progress > last) || (now - at < LEAST_MS && progress !== total)) return;
    last = progress;
    at = now;
    const params = { progressToken, progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
    void mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
