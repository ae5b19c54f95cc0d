import type { PolicyRule } from "../../gates/policy/rule.ts";
import type { RuleAction } from "../rules/client-rule.ts";

/** A part of Zeph's settings that an import would write. */
export type Piece =
  /** `order` is the place among the rules of its file: the first that fits decides. */
  | { readonly kind: "rule"; readonly tool: string; readonly pattern: string; readonly action: RuleAction; readonly order?: number }
  /** A value of a list of texts, such as `tools.file.deny_read`. */
  | { readonly kind: "value"; readonly list: string; readonly value: string }
  /** A setting of its own. What the person wrote stays. */
  | { readonly kind: "setting"; readonly key: string; readonly value: string | boolean }
  | { readonly kind: "policy"; readonly rule: Pick<PolicyRule, "effect" | "tool" | "args_match"> }
  | { readonly kind: "server"; readonly entry: { readonly name: string; readonly [key: string]: unknown } };

/** Pieces in the words of the settings: `tools.permissions.bash "git push", "git push *" deny`. */
export function pieceWords(pieces: readonly Piece[]): readonly string[] {
  const groups = new Map<string, { readonly values: string[]; readonly end: string }>();
  const put = (head: string, value: string, end = "") => {
    const known = groups.get(head + end) ?? { values: [], end };
    known.values.push(value);
    groups.set(head + end, known);
  };
  for (const piece of pieces)
    if (piece.kind === "rule") put(`tools.permissions.${piece.tool}`, JSON.stringify(piece.pattern), ` ${piece.action}`);
    else if (piece.kind === "value") put(piece.list, JSON.stringify(piece.value));
    else if (piece.kind === "setting") put(`${piece.key} =`, JSON.stringify(piece.value));
    else if (piece.kind === "policy") put("tools.policy", policyWords(piece.rule));
    else put("mcp.servers", JSON.stringify(piece.entry.name));
  return [...groups].map(([head, { values, end }]) => `${head.slice(0, head.length - end.length)} ${values.join(", ")}${end}`);
}

const policyWords = ({ tool, args_match }: Extract<Piece, { kind: "policy" }>["rule"]): string =>
  `deny ${tool}${args_match === undefined ? "" : ` where ${JSON.stringify(args_match)}`}`;
