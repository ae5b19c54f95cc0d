import { type Category, ToolError } from "../../core/error.ts";
import { record } from "../../text/json.ts";
import { Expired } from "./connection/call-deadline.ts";
import { HttpRefusal, LostAnswer } from "./connection/http.ts";
import { NotDelivered } from "./connection/stdio.ts";
import { inALine } from "./trust/hidden-text.ts";

/** Failures of a server, and the category of each here. */
export const CODES = {
  transient: "network_error",
  rate_limited: "rate_limited",
  server_error: "server_error",
  invalid_input: "invalid_parameters",
  auth_failure: "policy_blocked",
  policy_blocked: "policy_blocked",
  not_found: "permanent_failure",
} as const satisfies Record<string, Category>;
export type McpCode = keyof typeof CODES;

export interface FailedServer {
  readonly server: string;
  /** Why the connection ended, if it did. */
  readonly ended: string | null;
  readonly scrub: (text: string) => string;
  /** The words where nobody knows what became of the call. */
  readonly unknown?: string;
}

const UNKNOWN = "Whether the call was carried out is unknown. Look before you try it again.";

/** The failure of a call in the words of the model. */
export function errorOf(thrown: unknown, { server, ended, scrub, unknown = UNKNOWN }: FailedServer): ToolError {
  if (thrown instanceof ToolError) return thrown;
  const says = (what: string) => `The MCP server "${server}" ${inALine(scrub(what), 600)}`;
  const options = { cause: thrown };
  if (thrown instanceof Expired) return new ToolError("timeout", `${says(`gave no answer: ${thrown.message}.`)} ${unknown}`, options);
  if (needsLogin(thrown)) return new LoginNeeded(server);
  if (isUndelivered(thrown))
    return new ToolError("network_error", says(`could not be reached: ${messageOf(thrown)}. The call was not carried out.`), options);
  if (ended !== null && isBroken(thrown))
    return new ToolError("network_error", `${says(ended)}. It is started again with the next call. ${unknown}`, options);
  const code = codeOf(thrown);
  const after = retryAfterOf(thrown);
  const what = says(`${WORDS[code]}: ${messageOf(thrown)}`);
  const isUnknown = code === "transient" || code === "server_error";
  return new ToolError(CODES[code], isUnknown ? `${what.replace(/\.$/, "")}. ${unknown}`.trimEnd() : what, {
    ...options,
    ...(after !== undefined && { retryAfterMs: after }),
  });
}

const WORDS: Record<McpCode, string> = {
  transient: "was lost while it worked",
  rate_limited: "got too many requests",
  server_error: "failed",
  invalid_input: "does not take these arguments",
  auth_failure: "refused access",
  policy_blocked: "refused",
  not_found: "does not have that",
};

/** The call cannot be made before the person has signed in. Not a word of any token is in it. */
export class LoginNeeded extends ToolError {
  constructor(server: string) {
    super("policy_blocked", `The MCP server "${server}" wants the person to sign in: run \`zeph mcp login ${server}\`.`, {
      advice: "Only the user can sign in. Say so, and go on without this server.",
    });
  }
}

/** It is told by name: there may be two copies of the SDK's classes. */
export function needsLogin(thrown: unknown): boolean {
  return causes(thrown).some((error) => error.name === "UnauthorizedError" || statusOf(error) === 401);
}

/** The server provably did not get it. */
export const isUndelivered = (thrown: unknown): boolean =>
  causes(thrown).some(
    (error) => error instanceof NotDelivered || error.message === "Not connected" || record(error).code === "NOT_CONNECTED",
  );

/** The connection is of no more use. */
export const isBroken = (thrown: unknown): boolean =>
  isUndelivered(thrown) ||
  record(thrown).data instanceof LostAnswer ||
  record(thrown).code === "CONNECTION_CLOSED" ||
  isFetchFailure(thrown);

/** What a server says of its own requests has a code of the protocol. */
const isFetchFailure = (thrown: unknown) =>
  causes(thrown).some((error) => error.message === "fetch failed" && typeof record(error).code !== "number");

export const isForgottenSession = (thrown: unknown): boolean => statusOf(thrown) === 404;

function codeOf(thrown: unknown): McpCode {
  const status = statusOf(thrown);
  if (status !== undefined) return byStatus(status);
  const { code, data } = record(thrown);
  if (data instanceof LostAnswer || isFetchFailure(thrown)) return "transient";
  if (typeof code === "number") return byRpcCode(code, record(data));
  if (code === "CONNECTION_CLOSED" || code === "REQUEST_TIMEOUT" || typeof code !== "string") return "transient";
  if (code === "CAPABILITY_NOT_SUPPORTED") return "policy_blocked";
  return "server_error";
}

function byStatus(status: number): McpCode {
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 407) return "auth_failure";
  if (status === 403) return "policy_blocked";
  if (status === 404 || status === 410) return "not_found";
  if (status === 408 || status === 502 || status === 504) return "transient";
  return status >= 500 || status < 400 ? "server_error" : "invalid_input";
}

function byRpcCode(code: number, data: Record<string, unknown>): McpCode {
  if (code === 429 || code === -32_029 || data.status === 429) return "rate_limited";
  if (code === -32_602) return "invalid_input";
  if (code === -32_601 || code === -32_002) return "not_found";
  if (code === -32_042 || code === -32_021) return "policy_blocked";
  return "server_error";
}

function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpRefusal) return thrown.status;
  const { status } = record(record(thrown).data);
  return record(thrown).name === "SdkHttpError" && typeof status === "number" ? status : undefined;
}

function retryAfterOf(thrown: unknown): number | undefined {
  if (thrown instanceof HttpRefusal) return thrown.retryAfterMs;
  const { retryAfterMs, retryAfter } = record(record(thrown).data);
  const ms = typeof retryAfterMs === "number" ? retryAfterMs : typeof retryAfter === "number" ? retryAfter * 1000 : undefined;
  return ms !== undefined && ms >= 0 && ms <= 3_600_000 ? ms : undefined;
}

/** The same failure in other words, with another output. */
export const rewordError = (
  { category, cause, advice, retryAfterMs }: ToolError,
  message: string,
  output: NonNullable<ToolError["output"]>,
): ToolError =>
  new ToolError(category, message, {
    cause,
    output,
    ...(advice !== undefined && { advice }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });

/** An error and what it was caused by. */
function causes(thrown: unknown): Error[] {
  const list: Error[] = [];
  for (let one = thrown; one instanceof Error && list.length < 5; one = one.cause) list.push(one);
  return list;
}

function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const status = statusOf(thrown);
  if (status === undefined || message.includes(`HTTP ${status}`)) return message;
  return message === "" ? `HTTP ${status}` : `HTTP ${status}, ${message}`;
}

/** For a state that a person reads: what was at the bottom of it. */
export function whyOf(thrown: unknown, scrub: (text: string) => string): string {
  const bottom = record(thrown).code === "ERA_NEGOTIATION_FAILED" ? causes(thrown)[1] : undefined;
  return inALine(scrub(messageOf(bottom ?? thrown)), 600);
}
