import type { GateStatus } from "./governance.ts";
import type { Judgement } from "./runtime.ts";

/** What one of those who decide says of a call. */
export interface GateView {
  readonly gate: string;
  readonly kind: "pass" | "ask" | "deny" | "off" | "not asked";
  readonly rule?: string;
  readonly why?: string;
}

/** Everybody, in the order they are asked: also who had nothing to say, and who was not asked. */
export function gateViews({ trace }: Pick<Judgement, "trace">, gates: readonly GateStatus[]): GateView[] {
  const barred = trace.some(({ gate }) => gate === "blocklist");
  return gates.map(({ gate, state }): GateView => {
    const said = trace.find((one) => one.gate === gate);
    if (!said && gate === "blocklist") return { gate, kind: "pass" };
    if (!said) return { gate, kind: "not asked", why: barred ? "the blocklist decides alone" : "it came later" };
    const rule = typeof said.rule === "string" ? { rule: said.rule } : {};
    if (said.kind !== "pass") return { gate, kind: said.kind, ...rule, why: said.why };
    if (state === "off") return { gate, kind: "off" };
    // What it says of itself is only that a model would have to be asked.
    if (gate === "adversarial" && "rule" in rule) return { gate, kind: "not asked", why: "a model judges only calls that are made" };
    return { gate, kind: "pass", ...rule };
  });
}

/** `permissions  ask   rm *`, without an end of line. */
export function viewText({ gate, kind, rule, why }: GateView): string {
  const said = kind === "not asked" ? `not asked: ${why}` : `${kind.padEnd(4)}  ${rule ?? why ?? ""}`;
  return `${gate.padEnd(WIDEST)} ${said}`.trimEnd();
}
const WIDEST = 13;
