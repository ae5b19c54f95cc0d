import { StoreError } from "../sqlite/error.ts";

/**
 * The server cannot be reached, is starting or shutting down (57P01 to 57P03), has ended the connection (57P05, 25P03, 25P04), has no connection, memory or disk left
 * (53100 to 53300), or takes no writes because it is a standby, or was the primary until a moment ago (25006);
 * or nobody knows its name, as that of a service in which no server runs. Nobody knows whether the last statement was carried out.
 */
const AWAY = /^(?:08|57P|53[123]00|25006|25P0[34])|^E(?:CONN|PIPE|HOST|TIME|NET|AI_AGAIN|NOTFOUND)/;
/** The transaction lost against another one and did not happen. */
const LOST = new Set(["40001", "40P01"]);

const codeOf = (thrown: unknown): string => {
  const { code, cause } = (thrown ?? {}) as { code?: unknown; cause?: unknown };
  return typeof code === "string" ? code : cause === undefined ? "" : codeOf(cause);
};

/** A row that another one names is not there. */
export const isOrphan = (thrown: unknown): boolean => codeOf(thrown) === "23503";

export const isRetryable = (thrown: unknown): boolean => LOST.has(codeOf(thrown));

export const isTransient = (thrown: unknown): boolean =>
  AWAY.test(codeOf(thrown)) ||
  isRetryable(thrown) ||
  /^Connection terminated|^Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    messageOf(thrown),
  );

const messageOf = (thrown: unknown): string => {
  const { message, cause } = (thrown ?? {}) as { message?: string; cause?: unknown };
  return cause instanceof Error ? messageOf(cause) : String(message ?? "");
};

const READ_ONLY = "25006";
const FULL = /^53[12]00/;

/** Words for what people can do something about. Everything else passes unchanged. */
export function explainPg(shown: string, thrown: unknown): unknown {
  if (thrown instanceof StoreError) return thrown;
  const why = reason(shown, codeOf(thrown), thrown);
  return why === null ? thrown : new StoreError(shown, why, { cause: thrown });
}

function reason(shown: string, code: string, thrown: unknown): string | null {
  if (code === "28P01" || code === "28000") return `${shown} refuses this user or password. Check the address of the store, or PGPASSWORD.`;
  if (code === "3D000") return `There is no such database at ${shown}. Make it with createdb, then run: zeph store init ${shown}`;
  if (code === "22023" && /role/.test(messageOf(thrown)))
    return `The roles of Zeph are missing at ${shown}, or this user may not act as them. Run as an administrator: zeph store init ${shown}`;
  const role = /permission denied to set role "(\w+)"/.exec(messageOf(thrown))?.[1];
  if (role !== undefined)
    return `This needs a user who may act as ${role}, and the one of ${shown} may not. Name the address of one who may; \`zeph store check <address>\` says what a user may act as.`;
  if (code === "42501")
    return `${shown} refuses this user what it was asked for (${messageOf(thrown)}). \`zeph store check\` says what each role may do.`;
  if (code === "ENOTFOUND") return `${shown} cannot be reached (${messageOf(thrown)}). Nobody knows that host: check the address.`;
  if (code === READ_ONLY)
    return `${shown} takes no writes now (${messageOf(thrown)}): it is a standby, or is to become one. Check that the address leads to the primary.`;
  if (FULL.test(code)) return `${shown} has no room left (${messageOf(thrown)}). Look at its disk and memory.`;
  if (isTransient(thrown) && !isRetryable(thrown))
    return `${shown} cannot be reached (${messageOf(thrown) || code}). Check that the server runs and its address is right.`;
  return null;
}
