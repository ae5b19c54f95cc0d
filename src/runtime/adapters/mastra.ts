import { isRecord } from "../../text/json.ts";
import { createGovernor, type Governing, type GovernOptions } from "./governed-calls.ts";
import { createOwnTools, type OwnToolsOf, type ToolsOptions } from "./own-tools.ts";

/** A tool of Mastra: `new Agent({ tools })`. */
export interface MastraTool {
  readonly id: string;
  readonly description: string;
  /** A JSON Schema as a Standard Schema. Its type has no name outside that package, which we do not depend on. */
  readonly inputSchema: any;
  readonly requireApproval: any;
  readonly needsApprovalFn: any;
  execute(input: any, context: any): Promise<any>;
}

/** A tool of Mastra, as far as an adapter has to know it. */
export interface AnyMastraTool {
  execute?: ((input: any, context: any) => any) | undefined;
  requireApproval?: any;
}

/** How Mastra knows a tool of its own, also where its module was loaded twice. */
const MARK = Symbol.for("mastra.core.tool.Tool");

/** Zeph's tools for an agent of Mastra, by name. A call that needs a yes suspends the run; `agent.approveToolCall` goes on with it. */
export function toMastraTools(zeph: OwnToolsOf, options: ToolsOptions = {}): Record<string, MastraTool> {
  const own = createOwnTools(zeph, "mastra", options);
  const tools = own.list.map(({ name: tool, description, parameters }): [string, MastraTool] => {
    const needsYes = async (args: unknown) => (await own.needsYes({ tool, args })) !== null;
    const made = {
      id: tool,
      description,
      inputSchema: standardSchemaOf(parameters),
      requireApproval: needsYes,
      needsApprovalFn: needsYes,
      async execute(args: unknown, context: unknown) {
        const { text } = await own.call({ tool, args, signal: signalOf(context), isApproved: () => isOfAgent(context) });
        return text;
      },
      [MARK]: true,
    };
    return [tool, made];
  });
  return Object.fromEntries(tools);
}

/**
 * A program's own tools of Mastra behind Zeph's door: each call is judged and written down, a rule that wants a yes suspends the run, the model reads why
 * a call is refused, and what a tool hands back has no secrets in it. A tool without `execute` runs elsewhere and stays as it is.
 */
export function governMastraTools<T extends Record<string, AnyMastraTool>>(zeph: Governing, tools: T, options: GovernOptions = {}): T {
  const governor = createGovernor(zeph, "mastra", options);
  const governed = Object.entries(tools).map(([name, tool]): [string, AnyMastraTool] => {
    const { execute, requireApproval: own } = tool;
    if (typeof execute !== "function") return [name, tool];
    const needsYes = async (args: unknown, given: unknown) => {
      const isWanted = typeof own === "function" ? await own(args, given) : own === true;
      return (await governor.needsYes({ tool: name, args })) !== null || Boolean(isWanted);
    };
    // A copy with the same prototype: Mastra asks it what it is.
    const wrapped = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
      requireApproval: needsYes,
      needsApprovalFn: needsYes,
      async execute(args: unknown, context: unknown) {
        const call = { tool: name, args, signal: signalOf(context), isApproved: () => isOfAgent(context) };
        const end = await governor.run(call, () => execute.call(tool, args, context));
        return end.kind === "ran" ? end.output : end.text;
      },
      [MARK]: true,
    });
    return [name, wrapped];
  });
  return Object.fromEntries(governed) as T;
}

/** Only an agent asks before it runs a tool. A workflow, or a program that calls a tool itself, does not. */
const isOfAgent = (context: unknown): boolean => isRecord(context) && isRecord(context.agent);

const signalOf = (context: unknown): AbortSignal | undefined =>
  isRecord(context) && context.abortSignal instanceof AbortSignal ? context.abortSignal : undefined;

/** Nothing is validated there: bad arguments come to the door, and their answer says what to do. */
const standardSchemaOf = (schema: unknown) => ({
  "~standard": {
    version: 1,
    vendor: "zeph",
    validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => schema, output: () => schema },
  },
});
