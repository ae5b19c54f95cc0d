import { ConfigError } from "../../config/problem.ts";
import type { Config } from "../../config/schema.ts";
import { ToolError } from "../../core/error.ts";
import { scopeUser } from "../../host/sandbox/user.ts";

/** A user that does not exist, or that this process may not become, is a mistake in the configuration and told at the start. */
export function assertScopeUser(scope: Config["tools"]["scope"]): void {
  try {
    scopeUser(scope);
  } catch (error) {
    if (error instanceof ToolError) throw new ConfigError([{ key: "tools.scope.run_as_user", message: error.message }]);
    throw error;
  }
}
