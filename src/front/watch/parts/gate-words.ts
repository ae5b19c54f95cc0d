import type { AuditEntry } from "../../../core/ports/audit.ts";
import { type Html, html } from "../html.ts";
import type { GateWord, JudgedNow } from "../watch-sources.ts";
import { objectionsOf } from "./objections.ts";

/** What was decided then, as `judge` would put it: a person who was asked is asked, whatever they said. */
export function verdictThen(entry: AuditEntry): JudgedNow["verdict"] | null {
  const objections = objectionsOf(entry);
  if (objections.some(({ kind }) => kind === "deny")) return "deny";
  if (objections.some(({ kind }) => kind === "ask")) return "ask";
  if (entry.outcome === "unanswered" || entry.refused_by !== undefined) return "ask";
  if (entry.outcome === "denied") return "deny";
  if (entry.approved_by === undefined) return null;
  // The answer was given for longer than one call; whether it still holds is not the rules' matter.
  if (entry.grant !== undefined) return null;
  return entry.approved_by === "rules" ? "allow" : "ask";
}

/** Gate by gate as the rules of now judge, with a word where a gate said something else then. Gates that let it pass stand together. */
export const gateList = (judged: JudgedNow, entry: AuditEntry): Html =>
  html`<ul class="gates">${folded(judged.gates, new Set(objectionsOf(entry).map(({ gate }) => gate))).map((group) => (group.length === 1 && isLoud(group[0]!) ? spoken(group[0]!, entry) : passed(group, entry)))}</ul>`;

const isLoud = ({ said }: GateWord): boolean => said === "ask" || said === "deny";

function folded(gates: readonly GateWord[], spokeThen: ReadonlySet<string>): GateWord[][] {
  const groups: GateWord[][] = [];
  for (const one of gates) {
    const last = groups.at(-1);
    const isAlone = (word: GateWord) => isLoud(word) || spokeThen.has(word.gate);
    if (last && !isAlone(one) && !isAlone(last[0]!)) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

const spoken = (word: GateWord, entry: AuditEntry): Html =>
  html`<li><span>${word.gate}</span><span><span class="tag ${word.said}">${word.said}</span></span><span>${word.why ?? ""}${word.rule !== undefined && !word.why?.includes(word.rule) && html` <code>${word.rule}</code>`}${difference(word, entry)}</span></li>`;

function passed(group: readonly GateWord[], entry: AuditEntry): Html {
  const [first] = group;
  const name = group.length === 1 ? first!.gate : `${group.length} gates`;
  const said = group.every((one) => one.said === first!.said) ? first!.said : "pass";
  const words =
    group.length === 1
      ? html`${first!.why ?? ""}`
      : group.map((one, n) => html`${n > 0 && ", "}${one.gate}${one.said !== said && html` <i>(${one.said})</i>`}`);
  return html`<li class="quiet"><span>${name}</span><span><span class="tag">${said}</span></span><span>${words}${group.length === 1 && difference(first!, entry)}</span></li>`;
}

/** Only where the log says what this gate said: one that is not named there let the call pass, or was not asked. */
function difference({ gate, said }: GateWord, entry: AuditEntry): Html | null {
  const then = objectionsOf(entry).find((one) => one.gate === gate);
  if (then === undefined && !(said === "ask" || said === "deny")) return null;
  if (then?.kind === said) return null;
  const words =
    then === undefined
      ? "then it raised no objection"
      : html`then: ${then.kind}${then.rule !== undefined && html` <code>${then.rule}</code>`}`;
  return html` <span class="tag ask">${words}</span>`;
}
