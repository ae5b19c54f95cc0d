// What can be broken in a source file, one place at a time.
import { parseSync } from "oxc-parser";

const COMPARED = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" };
const COUNTED = { "+": "-", "-": "+", "*": "/", "/": "*", "%": "*" };
const SWAPPED = { some: "every", every: "some", min: "max", max: "min", startsWith: "endsWith", endsWith: "startsWith" };
/** Parts of the tree in which nothing is run. */
const SILENT = /^(?:TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|Import(?!Expression)|ExportAll)/;

/** Every mutant of the text: where it is (`start`, `end`), what stands there, and what is put in its place. */
export function findMutants(file, text) {
  const { program, errors } = parseSync(file, text, { lang: "ts" });
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0].message}`);
  const found = [];
  const source = (node) => text.slice(node.start, node.end);
  const add = (kind, node, to) =>
    found.push({ kind, start: node.start, end: node.end, line: lineAt(text, node.start), from: source(node), to });
  walk(program, null, (node, parent) => {
    for (const [kind, target, to] of changesOf(node, parent, source)) add(kind, target, to);
  });
  return found;
}

export const applyMutant = (text, { start, end, to }) => text.slice(0, start) + to + text.slice(end);

function changesOf(node, parent, source) {
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression":
    case "WhileStatement":
    case "DoWhileStatement":
      return [["condition", node.test, `!(${source(node.test)})`]];
    case "BinaryExpression":
      return operatorChange(node, source);
    case "LogicalExpression":
      if (node.operator === "??") return [["default", node, `(${source(node.left)})`]];
      return [["operator", node, `(${source(node.left)}) ${node.operator === "&&" ? "||" : "&&"} (${source(node.right)})`]];
    case "UnaryExpression":
      return node.operator === "!" ? [["negation", node, `(${source(node.argument)})`]] : [];
    case "Literal":
      return literalChange(node, parent);
    case "MemberExpression":
      return SWAPPED[node.property.name] && !node.computed ? [["method", node.property, SWAPPED[node.property.name]]] : [];
    case "ThrowStatement":
    case "ContinueStatement":
    case "BreakStatement":
      return parent?.type === "SwitchCase" ? [] : [["statement", node, ";"]];
    case "ReturnStatement":
      return node.argument === null ? [["statement", node, ";"]] : [];
    case "ExpressionStatement":
      return node.directive ? [] : [["statement", node, ";"]];
    default:
      return [];
  }
}

function operatorChange(node, source) {
  const isText = [node.left, node.right].some((side) => side.type === "TemplateLiteral" || typeof side.value === "string");
  const operator = COMPARED[node.operator] ?? (isText ? undefined : COUNTED[node.operator]);
  return operator ? [["operator", node, `(${source(node.left)}) ${operator} (${source(node.right)})`]] : [];
}

function literalChange(node, parent) {
  const isName = (parent?.key === node && !parent.computed) || parent?.source === node;
  if (isName) return [];
  if (typeof node.value === "boolean") return [["literal", node, String(!node.value)]];
  if (typeof node.value === "number") return [["literal", node, String(node.value + 1)]];
  if (typeof node.value === "string") return [["literal", node, node.value === "" ? '"mutated"' : '""']];
  return [];
}

function walk(node, parent, visit) {
  if (Array.isArray(node)) for (const child of node) walk(child, parent, visit);
  else if (typeof node?.type === "string" && !SILENT.test(node.type)) {
    visit(node, parent);
    for (const child of Object.values(node)) if (typeof child === "object") walk(child, node, visit);
  }
}

const lineAt = (text, at) => text.slice(0, at).split("\n").length;
