import type { ToolError } from "../../core/error.ts";
import type { Connection } from "./connection/connection.ts";
import type { Reconnector } from "./connection/reconnect.ts";
import { errorOf, type FailedServer, isBroken, isForgottenSession, isUndelivered, LoginNeeded } from "./errors.ts";

export interface RequestFailureParts extends Pick<FailedServer, "server" | "scrub" | "unknown"> {
  readonly keeper: Reconnector;
  readonly needsLogin: (thrown: unknown) => boolean;
}

/** What is to be told of a request that failed. A connection that is of no more use is given up; `undelivered` says that it may be sent again. */
export async function afterFailure(
  { keeper, needsLogin, ...about }: RequestFailureParts,
  connection: Connection,
  thrown: unknown,
): Promise<{ readonly error: ToolError; readonly undelivered: boolean }> {
  const undelivered = isUndelivered(thrown) || (isForgottenSession(thrown) && connection.inSession);
  const error = needsLogin(thrown) ? new LoginNeeded(about.server) : errorOf(thrown, { ...about, ended: connection.why });
  if (needsLogin(thrown)) await keeper.locked(connection, thrown);
  else if (undelivered || isBroken(thrown)) await keeper.drop(connection, connection.why ?? "the connection was lost");
  return { error, undelivered };
}
