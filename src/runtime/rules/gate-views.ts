import type { Opinion } from "../../core/gate/verdict.ts";
import type { GateStatus } from "../governance/governance.ts";
import type { Judgement } from "../runtime.ts";

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
    if (/^off\b/.test(state)) return { gate, kind: "off" };
    if (isToBeAsked(said)) return { gate, kind: "not asked", why: "a model judges only calls that are made" };
    return { gate, kind: "pass", ...rule };
  });
}

/** Those who would be asked besides if the call were made: models, which may still object. Nobody once somebody has denied. */
export const consultedIn = ({ verdict, trace }: Pick<Judgement, "verdict" | "trace">): readonly string[] =>
  verdict === "deny" ? [] : trace.filter(isToBeAsked).map(({ gate }) => gate);

/** What it says of itself is only that a model would have to be asked. */
const isToBeAsked = ({ gate, kind, rule }: Opinion): boolean => gate === "adversarial" && kind === "pass" && typeof rule === "string";

/** `allow`, and what may still come in its way. */
export const verdictWords = (found: Pick<Judgement, "verdict" | "trace">): string =>
  `${found.verdict}${consultedIn(found).length > 0 ? ", unless the judging model objects" : ""}`;

/** What would be decided and what each of those who were asked says, a line each. */
export function judgementLines(found: Judgement, gates: readonly GateStatus[]): string[] {
  const why = found.why === null ? "" : `: ${found.why}`;
  return [`${verdictWords(found)}${why}`, ...viewLines(gateViews(found, gates)).map(({ text }) => `  ${text}`)];
}

/** A line each. When the blocklist bars, one line is enough for all the others. */
export function viewLines(views: readonly GateView[]): { readonly text: string; readonly kind: GateView["kind"] }[] {
  const lines = views.map((view) => ({ text: viewText(view), kind: view.kind }));
  const [first] = views;
  if (first?.gate !== "blocklist" || first.kind !== "deny") return lines;
  return [lines[0]!, { text: "the other gates were not asked", kind: "not asked" }];
}

/** `permissions    ask   rm *`, without an end of line. */
function viewText({ gate, kind, rule, why }: GateView): string {
  const said = kind === "not asked" ? `not asked: ${why}` : `${kind.padEnd(4)}  ${rule ?? why ?? ""}`;
  return `${gate.padEnd(WIDEST)}${said}`.trimEnd();
}
/** The longest name, and two spaces. */
const WIDEST = 15;

/** The same for `/status`: who is off and silent is left out, and who is simply on and silent shares a line. */
export function briefGates(gates: readonly GateStatus[]): string {
  const isPlain = ({ state, asked, denied }: GateStatus) => state === "on" && asked + denied === 0;
  const telling = gates.filter((one) => !isPlain(one) && (one.state !== "off" || one.asked + one.denied > 0));
  const plain = gates.filter(isPlain).map(({ gate }) => gate);
  return [...telling.map(gateLine), ...(plain.length > 0 ? [`on: ${plain.join(", ")}`] : [])].join("\n");
}

/** How each gate is set and what it has said, one line each. */
export const gatesText = (gates: readonly GateStatus[]): string => gates.map(gateLine).join("\n");

/** `permissions: supervised, 3 rules; 1 asked, 2 denied` */
function gateLine({ gate, state, asked, denied }: Omit<GateStatus, "passed">): string {
  const spoken = [...(asked > 0 ? [`${asked} asked`] : []), ...(denied > 0 ? [`${denied} denied`] : [])];
  return `${gate}: ${state}${spoken.length > 0 ? `; ${spoken.join(", ")}` : ""}`;
}
