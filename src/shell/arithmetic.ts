import type { ArithmeticExpression } from "unbash";
import { setVariable } from "./assignments.ts";
import { hiddenEvaluation } from "./hidden.ts";
import type { Context, Spot, Walk } from "./walk.ts";

/** Only substitutions matter in a sum, and the variables it sets. */
export function arithmetic(walk: Walk, expression: ArithmeticExpression, context: Context): void {
  const stack: ArithmeticExpression[] = [expression];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === "ArithmeticBinary") {
      if (node.operator.endsWith("=") && node.left.type === "ArithmeticWord") number(walk, node.left.value, context, node.left);
      stack.push(node.left, node.right);
    } else if (node.type === "ArithmeticUnary") {
      if (/^(\+\+|--)$/.test(node.operator) && node.operand.type === "ArithmeticWord")
        number(walk, node.operand.value, context, node.operand);
      stack.push(node.operand);
    } else if (node.type === "ArithmeticTernary") stack.push(node.test, node.consequent, node.alternate);
    else if (node.type === "ArithmeticGroup") stack.push(node.expression);
    else if (node.type === "ArithmeticWord") {
      for (const part of node.parts ?? []) walk.visit(part, context);
      hiddenEvaluation(walk, node.parts ? [] : [node.value], context, node);
    } else walk.visit(node, context);
  }
}

function number(walk: Walk, word: string, context: Context, node: Spot): void {
  const [name] = /^[A-Za-z_]\w*/.exec(word) ?? [];
  if (name === undefined) walk.variables.forget();
  else setVariable(walk, name, null, "stays", context, node);
}
