import { ConfigError } from "../../config/problem.ts";
import type { Config } from "../../config/schema.ts";
import { ToolError } from "../../core/error.ts";
import { findOtherUser } from "../../host/sandbox/user.ts";

/** A user that does not exist, or that this process may not become, is a mistake in the configuration and told at the start. */
export function assertScopeUser({ enabled, run_as_user }: Config["tools"]["scope"]): void {
  if (!enabled || run_as_user === "") return;
  try {
    findOtherUser(run_as_user);
  } catch (error) {
    if (error instanceof ToolError) throw new ConfigError([{ key: "tools.scope.run_as_user", message: error.message }]);
    throw error;
  }
}
