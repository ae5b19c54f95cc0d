import { outputOf } from "../../../core/draft.ts";
import { ToolError } from "../../../core/error.ts";
import type { ToolOutput } from "../../../core/tool.ts";
import { rewordError } from "../errors.ts";
import { compileProblem, type RunTool } from "../tools.ts";
import type { Definition } from "./definitions.ts";
import { mapTexts } from "./secrets.ts";

export interface GuardParts {
  readonly server: string;
  /** From now on this definition is offered to nobody. */
  readonly refuse: (definition: Definition, why: string) => void;
  /** Takes out of a text what the server was given in confidence. */
  readonly conceal: () => Promise<(text: string) => string>;
}

/** Before a call: arguments are held against a schema that makes sense. After it: no secret comes back. */
export function guardCall(run: RunTool, { server, refuse, conceal }: GuardParts): RunTool {
  return async (definition, args, ctx) => {
    const problem = compileProblem(definition);
    if (problem !== null) {
      refuse(definition, problem);
      throw new ToolError("permanent_failure", `"${definition.tool}" of the MCP server "${server}" was not called: ${problem}.`);
    }
    try {
      return concealed(await run(definition, args, ctx), await conceal());
    } catch (error) {
      if (!(error instanceof ToolError) || !error.output) throw error;
      const hide = await conceal();
      throw rewordError(error, hide(error.message), concealed(outputOf(error.output), hide));
    }
  };
}

const concealed = (output: ToolOutput, hide: (text: string) => string): ToolOutput => ({
  ...output,
  text: hide(output.text),
  ...(output.raw !== undefined && { raw: mapTexts(output.raw, hide) }),
});
