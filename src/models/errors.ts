import { type Fault, ModelError } from "../core/model-error.ts";
import { cleanMessage, networkCode, type ProviderRefusal, refusalOf, retryAfterOf } from "./refusal.ts";

/** Who was asked, for messages. */
export interface AskedProvider {
  /** As the person named it. */
  readonly name: string;
  readonly type: string;
  readonly model: string;
  readonly url: string;
  /** Where the key came from and what it is, so that it can be kept out of messages. */
  readonly key?: { readonly from: string; readonly value: string } | undefined;
}

export interface FailureMoment {
  readonly answered: boolean;
  readonly timeoutMs: number;
}

/**
 * Whatever was thrown while a model was asked, as a ModelError: what happened, and what to do.
 * The package's own error is not kept as its cause: it holds the whole conversation.
 */
export function modelError(thrown: unknown, asked: AskedProvider, moment: FailureMoment): ModelError {
  const given = causes(thrown).find((one) => one instanceof ModelError);
  if (given) return new ModelError(given.fault, `${asked.name}: ${given.message}`);
  if (isUnreadable(thrown)) return new ModelError("garbled", unreadable(asked));
  const refusal = refusalOf(thrown, moment.answered);
  if (refusal) return refused(refusal, asked);
  return disturbed(thrown, asked, moment);
}

export const timedOut = (asked: AskedProvider, timeoutMs: number): ModelError =>
  new ModelError(
    "timeout",
    `${asked.name} said nothing for ${Math.round(timeoutMs / 1000)} s (timeout_secs of this provider). Try again, or ask for less at once.`,
  );

export const cutOff = (asked: AskedProvider): ModelError =>
  new ModelError("cut", `The connection to ${asked.name} ended in the middle of the answer. Nothing of it was run. Try again.`);

const unreadable = ({ name, url }: AskedProvider) =>
  `What ${name} sent is not what its protocol says. Check that base_url (${url}) is an API of this type, or try again.`;

interface Rule {
  readonly fault: Fault;
  readonly is: (refusal: ProviderRefusal) => boolean;
  readonly message: (asked: AskedProvider, said: string) => string;
}

const isLong =
  /prompt is too long|too long|maximum context|context[ _](length|window|size)|exceeds? the (model's )?(maximum|context)|too many (input )?tokens|request_too_large|input is too large/i;

/** The first that fits. What a provider says in words counts before its number: some answer 429 when the money is gone. */
const RULES: readonly Rule[] = [
  {
    fault: "no_credit",
    is: ({ status, kind, message }) =>
      status === 402 ||
      /insufficient_quota|billing/.test(kind) ||
      /credit balance|insufficient (credit|funds|balance|quota)|exceeded your current quota/i.test(message),
    message: ({ name }, said) => `The account of ${name} has no credit left: ${said}. Add credit, or choose another provider.`,
  },
  {
    fault: "too_long",
    is: ({ status, kind, message }) =>
      status === 413 || (status !== 429 && status < 500 && (/context_length|too_large/.test(kind) || isLong.test(message))),
    message: ({ name, model }, said) =>
      `The conversation is too long for ${name} (${model}): ${said}. Compact it, begin a new one, or choose a model with more context.`,
  },
  {
    fault: "wrong_key",
    is: ({ status, kind }) => status === 401 || status === 403 || /authentication|invalid_api_key|permission/.test(kind),
    message: ({ name, key }, said) =>
      key
        ? `${name} refused the key in ${key.from}: ${said}. Check it in the environment or in keys.toml.`
        : `${name} wants a key: ${said}. Name the variable that holds it with api_key_env.`,
  },
  {
    fault: "unknown_model",
    is: ({ status, kind, message }) =>
      status === 404 || /model_not_found|not_found/.test(kind) || /model\b.{0,200}(not found|does not exist|not exist)/i.test(message),
    message: ({ name, type, model, url }, said) =>
      type === "ollama"
        ? `${name} has no model ${model}: ${said}. Get it with \`ollama pull ${model}\`.`
        : `${name} has no model ${model}: ${said}. Check the model's name at this provider, and that ${url} is its API.`,
  },
  {
    fault: "rate_limited",
    is: ({ status, kind }) => status === 429 || /rate_limit/.test(kind),
    message: ({ name }, said) => `${name} has had too many requests: ${said}. Wait a little, then try again.`,
  },
  {
    fault: "timeout",
    is: ({ status }) => status === 408,
    message: ({ name }, said) => `${name} gave up waiting: ${said}. Try again.`,
  },
  {
    fault: "server_error",
    is: ({ status, kind }) => status >= 500 || /overloaded|server_error|api_error|unavailable/.test(kind),
    message: ({ name }, said) => `${name} has a server error: ${said}. Try again later.`,
  },
  {
    fault: "bad_request",
    is: ({ status }) => status >= 300 && status < 400,
    message: ({ name, url }, said) =>
      `${name} redirects to another address, and no key is sent there: ${said}. Set base_url (now ${url}) to the right one.`,
  },
  {
    fault: "bad_request",
    is: () => true,
    message: ({ name }, said) => `${name} refused the request: ${said}. Check the settings of this provider.`,
  },
];

function refused(refusal: ProviderRefusal, asked: AskedProvider): ModelError {
  const { fault, message } = RULES.find(({ is }) => is(refusal))!;
  const words = cleanMessage(refusal.message, asked.key?.value);
  const said =
    [words.replace(/[.\s]+$/, ""), refusal.inStream ? "" : `HTTP ${refusal.status}`].filter(Boolean).join(", ") || "no reason given";
  const retryAfterMs = retryAfterOf(refusal.headers);
  return new ModelError(fault, message(asked, said), { ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

const TIMEOUTS = ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"];

function disturbed(thrown: unknown, asked: AskedProvider, { answered, timeoutMs }: FailureMoment): ModelError {
  const code = networkCode(thrown);
  if (code !== null && TIMEOUTS.includes(code)) return timedOut(asked, timeoutMs);
  const isNetwork = code !== null || causes(thrown).some((one) => one instanceof TypeError && /fetch failed|terminated/.test(one.message));
  if (isNetwork && answered) return cutOff(asked);
  if (isNetwork) return new ModelError("unreachable", unreachable(asked, code));
  if (causes(thrown).some(({ name }) => /InvalidResponseData|EmptyResponseBody|NoContentGenerated/.test(name)))
    return new ModelError("garbled", unreadable(asked));
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ModelError("bad_request", `${asked.name} could not be asked: ${cleanMessage(message, asked.key?.value)}`);
}

const WHY: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no host of that name",
  EAI_AGAIN: "the name could not be looked up",
  ECONNRESET: "the connection was reset",
  UND_ERR_SOCKET: "the other side closed the connection",
  ETIMEDOUT: "it does not answer",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer",
  EHOSTUNREACH: "that host cannot be reached",
  ENETUNREACH: "that network cannot be reached",
};

function unreachable({ name, type, url }: AskedProvider, code: string | null): string {
  const why = code === null ? "the connection failed" : (WHY[code] ?? code);
  const todo = type === "ollama" ? "Is it running? Start it with `ollama serve`." : "Check the network, and base_url of this provider.";
  return `${name} cannot be reached at ${hostOf(url)}: ${why}. ${todo}`;
}

function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** An event of a stream that is not what the protocol says. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** What no reader of the protocol could read. Packages of the AI SDK hand it on under their own names, one of them as a refusal of the server. */
function isUnreadable(thrown: unknown): boolean {
  if (thrown instanceof UnreadableAnswer) return true;
  const texts = causes(thrown).flatMap((one) => [one.name, String((one as { responseBody?: unknown }).responseBody ?? "").slice(0, 100)]);
  return texts.some((text) => /AI_(JSONParse|TypeValidation)Error/.test(text));
}

function causes(thrown: unknown): Error[] {
  const found: Error[] = [];
  for (let one = thrown; one instanceof Error && !found.includes(one) && found.length < 10; one = one.cause) found.push(one);
  return found;
}
