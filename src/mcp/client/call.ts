import { ToolError } from "../../core/error.ts";
import type { Tracing } from "../../core/ports/span.ts";
import { pause, type RetryConfig, sleep } from "../../core/retry.ts";
import type { RunContext, ToolOutput } from "../../core/tool.ts";
import type { Connection } from "./connection/connection.ts";
import type { Reconnector } from "./connection/reconnect.ts";
import { errorOf, isForgottenSession, isUndelivered, LoginNeeded } from "./errors.ts";
import { afterFailure } from "./failed-request.ts";
import type { Lister } from "./lister.ts";
import { outputOf, withLeftNotes } from "./results.ts";
import type { RunTool } from "./tools.ts";
import { traceSentCall } from "./trace-call.ts";
import type { AgreedTools } from "./trust/agreed-tools.ts";
import type { Definition } from "./trust/definitions.ts";

export interface CallerParts {
  readonly server: string;
  readonly keeper: Reconnector;
  readonly lister: Lister;
  readonly book: AgreedTools;
  readonly scrub: (text: string) => string;
  readonly needsLogin: (thrown: unknown) => boolean;
  readonly retry: RetryConfig;
  readonly tracing: Tracing;
  /** Whether the person has visited what the server wants them to, where that is what it failed for. */
  readonly visited: (thrown: unknown, signal: AbortSignal) => Promise<boolean>;
}

/** Makes calls. One is sent again only when it provably was not delivered, or the server said that it was too often. */
export function createCaller(parts: CallerParts): RunTool {
  const { server, keeper, scrub, retry } = parts;
  return async (definition, args, ctx) => {
    const begun = performance.now();
    let again = true;
    let mayVisit = true;
    for (let limited = 1; ; ) {
      const connection = await reachServer(parts, ctx.signal, "in turn");
      try {
        return await once(parts, connection, definition, args, ctx);
      } catch (thrown) {
        if (ctx.signal.aborted) throw cancelled(thrown);
        if (mayVisit && (await parts.visited(thrown, ctx.signal))) {
          mayVisit = false;
          continue;
        }
        if (ctx.signal.aborted) throw cancelled(thrown);
        const { error, undelivered } = await afterFailure({ server, keeper, scrub, needsLogin: parts.needsLogin }, connection, thrown);
        if (again && undelivered) {
          again = false;
          continue;
        }
        const wait =
          error.category === "rate_limited"
            ? pause({ n: limited++, elapsedMs: performance.now() - begun, retryAfterMs: error.retryAfterMs }, retry)
            : null;
        if (wait === null) throw withLeftNotes(error, { ...walled(connection), notes: connection.look() });
        if (!(await sleep(wait, ctx.signal))) throw cancelled(thrown);
      }
    }
  };
}

/** The connection, or what a model is told when there is none. */
export async function reachServer(
  { server, keeper, needsLogin }: Pick<CallerParts, "server" | "keeper" | "needsLogin">,
  signal: AbortSignal,
  when: "in turn" | "now",
): Promise<Connection> {
  try {
    return await keeper.get(signal, when);
  } catch (thrown) {
    if (signal.aborted) throw cancelled(thrown);
    if (needsLogin(thrown)) throw new LoginNeeded(server);
    if (thrown instanceof ToolError) throw thrown;
    const why = keeper.state.why ?? "it was closed";
    const what = `The MCP server "${server}" could not be reached: ${why}. The call was not carried out.`;
    throw new ToolError("network_error", `${what} Go on without this server, or ask the user to look at \`zeph mcp list\`.`, {
      cause: thrown,
    });
  }
}

async function once(
  parts: CallerParts,
  connection: Connection,
  definition: Definition,
  args: Record<string, unknown>,
  ctx: RunContext,
): Promise<ToolOutput> {
  const { server, book, tracing } = parts;
  await renewed(parts, connection);
  // What runs is what was agreed to: looked at again before anything is sent.
  const refusal = book.refusal(definition);
  if (refusal !== null)
    throw new ToolError(
      refusal.gone ? "permanent_failure" : "policy_blocked",
      `"${definition.tool}" of the MCP server "${server}" was not called: ${refusal.why}.`,
    );
  // What it lists after it was called may be an answer to the call.
  book.settle();
  const result = await traceSentCall(tracing, { server, tool: definition.tool, connection }, (traceparent) =>
    connection.callTool(definition.tool, args, {
      signal: ctx.signal,
      definition: definition.wire,
      tell: (progress) => ctx.tell(progress),
      traceparent,
    }),
  );
  return outputOf(result, { server, outputSchema: definition.wire.outputSchema, ...walled(connection), notes: connection.look() });
}

const walled = ({ walls }: Connection) => (walls ? { walls } : {});

async function renewed({ server, lister, scrub, needsLogin }: CallerParts, connection: Connection): Promise<void> {
  try {
    await lister.renew(connection);
  } catch (thrown) {
    if (isUndelivered(thrown) || isForgottenSession(thrown) || needsLogin(thrown)) throw thrown;
    const { message } = errorOf(thrown, { server, ended: connection.why, scrub, unknown: "" });
    const what = `${message.trimEnd()} That was when its tools were listed again. The call was not carried out.`;
    throw new ToolError("network_error", what, { cause: thrown });
  }
}

export const cancelled = (cause: unknown) => new ToolError("cancelled", "The call was cancelled.", { cause });
