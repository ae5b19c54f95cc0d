// What the scripted model calls: a tool that a cell names, or the client's own tool for a purpose.
import { chooseTool } from "../../dist/modules/hook/live/choose-tool.js";

/** A step is `{ tool, namespace?, args | input }`, or `{ kind, command | path, content }`. Null when nothing that is offered can do it. */
export const chooseCall = (step, offered) =>
  step.tool ? { name: step.tool, namespace: step.namespace, input: step.input, args: step.args ?? {} } : chooseTool(step, offered);
