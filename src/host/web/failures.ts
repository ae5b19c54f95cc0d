import { type Category, ToolError } from "../../core/error.ts";
import { maskUrl } from "../../text/url.ts";
import type { Target } from "./url.ts";

/** What a status says about trying again. One that is not listed here, and no 5xx, is final. */
const STATUS: Record<number, readonly [Category, string]> = {
  400: ["invalid_parameters", "The server did not understand the request. Check the URL and its parameters."],
  401: ["policy_blocked", "The page needs a login, and none is ever sent."],
  403: ["policy_blocked", "The server does not let this page be read."],
  404: ["permanent_failure", "There is no such page. Check the URL."],
  410: ["permanent_failure", "The page is gone. Look for another one."],
  422: ["invalid_parameters", "The server refused the parameters of the URL. Check them."],
  429: ["rate_limited", "The server had too many requests. Wait before asking it again."],
};

export function statusFailure(status: number, target: Target, retryAfter: unknown): ToolError {
  const [category, why] =
    STATUS[status] ??
    (status >= 500 && status < 600
      ? (["server_error", "The server failed. Try again later."] as const)
      : (["permanent_failure", "There is no page. Try another URL."] as const));
  const retryAfterMs = category === "rate_limited" || category === "server_error" ? waitOf(retryAfter) : undefined;
  return new ToolError(category, `${maskUrl(target.url)} answered ${status}. ${why}`, retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** Seconds, or a date. */
function waitOf(header: unknown): number | undefined {
  if (typeof header !== "string") return undefined;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** No connection: DNS or the way there. */
export function unreachableFailure(error: unknown, what: string): ToolError {
  if (error instanceof ToolError) return error;
  const code = codeOf(error);
  const category: Category = code === "ETIMEDOUT" ? "timeout" : "network_error";
  return new ToolError(category, `${what} (${CONNECTING[code] ?? (code || "unknown reason")}).`, { cause: error });
}

const CONNECTING: Record<string, string> = {
  ENOTFOUND: "there is no such name; check its spelling",
  EAI_AGAIN: "the name server did not answer",
  ENODATA: "the name has no address",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ETIMEDOUT: "it took too long",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate cannot be verified",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate cannot be verified",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

/** The connection was there, and what came over it was no whole answer. */
export function garbledFailure(error: unknown, target: Target): ToolError {
  if (error instanceof ToolError) return error;
  const [category, why] = ANSWERING[codeOf(error)] ?? [
    isParserError(error) ? "permanent_failure" : "network_error",
    isParserError(error) ? "sent something that is not HTTP" : "closed the connection before the page was whole",
  ];
  return new ToolError(category, `${target.host} ${why}.`, { cause: error });
}

const ANSWERING: Record<string, readonly [Category, string]> = {
  UND_ERR_HEADERS_OVERFLOW: ["permanent_failure", "sent more headers than are read. Try another page"],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ["network_error", "sent a page of another length than it said"],
  Z_DATA_ERROR: ["network_error", "sent a damaged page"],
  Z_BUF_ERROR: ["network_error", "sent a damaged page"],
  ERR__ERROR_FORMAT_PADDING_1: ["network_error", "sent a damaged page"],
};

const isParserError = (error: unknown) => codeOf(error).startsWith("HPE_") || (error as Error | null)?.name === "HTTPParserError";
const codeOf = (error: unknown): string => {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return typeof code === "string" ? code : "";
};
