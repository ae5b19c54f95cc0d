import type { Config } from "../config/schema.ts";
import type { Registry } from "../core/registry.ts";
import type { TurnContext } from "../core/turn.ts";
import { commandUser } from "../host/sandbox/user.ts";
import type { Surroundings } from "../pipeline/audit.ts";
import type { Gates } from "./gates.ts";

/** What every line of the audit log says besides the call: where it was made and, where tools are scoped, as whom. */
export function recorded(
  { enabled, run_as_user }: Config["tools"]["scope"],
  where: (turn: TurnContext) => string,
  gates: Gates,
  registry: Pick<Registry, "tools" | "origin">,
): Surroundings {
  const { tools, origin } = registry;
  const user = enabled ? commandUser(run_as_user) : "";
  const scoped = () => (enabled ? { user, scope: gates.book.config.tools.scope.require_capability ? "trusted" : "everyone" } : {});
  return {
    about(name, { turn }) {
      const toolset = origin(name)?.id;
      return {
        trust: gates.trusting.effective(tools().get(name)?.name ?? name, turn),
        cwd: where(turn),
        ...(toolset !== undefined && { toolset }),
        ...scoped(),
      };
    },
    missed({ name, problem }, outcome) {
      const tool = tools().get(name);
      // What could not be read, or came too often, was never held against the tool's schema.
      if (tool && problem === undefined) gates.failures.missed(tool.name, outcome);
    },
  };
}
