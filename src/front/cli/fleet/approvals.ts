import { type Answer, isAnswer } from "../../../core/event.ts";
import { type QuestionView, viewQuestion } from "../../../question/question.ts";
import { questionText } from "../../../question/text.ts";
import { timeWords } from "../../../runtime/agent/scheduled-add.ts";
import type { FleetApproval, FleetGovernor } from "../../../runtime/fleet/govern.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withFleetGovernor } from "./govern-command.ts";

/** Questions that wait for another person; with an id, the whole of one. */
export async function fleetApprovals(given: Invocation): Promise<number> {
  const { words, flags, terminal } = given;
  const [id, ...more] = words;
  if (more.length > 0) throw new UsageError("Name one question, or none: zeph fleet approvals [<id>]");
  return withFleetGovernor(given, null, async (governor) => {
    const found = id === undefined ? await governor.approvals() : [await findApproval(governor, id)];
    if (flags.json) terminal.stdout.write(jsonLine(id === undefined ? found : found[0]!));
    else terminal.stdout.write(id === undefined ? listText(found, terminal) : wholeText(found[0]!, terminal));
    return EXIT.ok;
  });
}

/** A yes: for this call, or as long as the word after the id says. */
export async function fleetApprove(given: Invocation): Promise<number> {
  const [id, word = "once", ...more] = given.words;
  if (id === undefined || more.length > 0) throw new UsageError("Name one question: zeph fleet approve <id> [once|session|edits|always]");
  if (!isAnswer(word) || word === "no") throw new UsageError(`"${word}" is no yes. Say once, session, edits or always.`);
  return answer(given, id, word);
}

export async function fleetDeny(given: Invocation): Promise<number> {
  const [id, ...more] = given.words;
  if (id === undefined || more.length > 0) throw new UsageError("Name one question: zeph fleet deny <id>");
  return answer(given, id, "no");
}

const answer = (given: Invocation, id: string, said: Answer): Promise<number> =>
  withFleetGovernor(given, `zeph fleet ${said === "no" ? "deny" : "approve"}`, async (governor) => {
    const { flags, terminal } = given;
    const found = await findApproval(governor, id);
    const why = await governor.answer(found, said, typeof flags.reason === "string" ? flags.reason : undefined);
    if (why !== null) throw new UsageError(why);
    if (flags.json) terminal.stdout.write(jsonLine({ id: found.id, answer: said, by: governor.by }));
    else terminal.stdout.write(visible(`${MEANS[said]} ${found.question.tool} for ${found.askedBy}, answered by ${governor.by}.\n`));
    return EXIT.ok;
  });

const MEANS: Readonly<Record<Answer, string>> = {
  once: "Yes, once:",
  session: "Yes, in this session:",
  edits: "Yes, all edits of this session:",
  always: "Yes, in this session, and a proposal for the policy:",
  no: "No:",
};

async function findApproval(governor: FleetGovernor, id: string): Promise<FleetApproval> {
  const found = await governor.findApproval(id);
  if (!found) throw new UsageError(`No question, or more than one, begins with ${id}. \`zeph fleet approvals\` lists those that are open.`);
  return found;
}

function listText(open: readonly FleetApproval[], { out }: Terminal): string {
  if (open.length === 0) return "No question waits for another person.\n";
  const now = Date.now();
  return open
    .map(({ id, askedAt, askedBy, session, question: { tool, args } }) => {
      const about = `${id.slice(0, 8)}  ${timeWords(askedAt, now)}  ${visible(`${tool} for ${askedBy}, session ${session}`)}`;
      return `${about}\n          ${out.dim(oneLine(visible(JSON.stringify(args) ?? ""), 200))}\n`;
    })
    .join("");
}

function wholeText({ id, askedBy, session, question, answer: said, answeredBy }: FleetApproval, { stdout, out }: Terminal): string {
  const view = viewQuestion(question);
  const text = "tooLong" in view ? view.tooLong : questionText(asProposal(view, question), { colors: out, columns: stdout.columns ?? 80 });
  const next =
    said === null ? `Answer with: zeph fleet approve ${id.slice(0, 8)}, or deny` : `Answered "${said}" by ${visible(answeredBy ?? "")}`;
  return `${visible(`Asked by ${askedBy} in session ${session}.`)}\n${text}\n${next}\n`;
}

/** At a laptop "always" writes a rule. Here it writes none: it is a proposal. */
const asProposal = (view: QuestionView, { always_rule: rule }: FleetApproval["question"]): QuestionView => ({
  ...view,
  rows: view.rows.map((row) =>
    row.part === "always" && rule !== undefined ? { ...row, text: visible(`holds for this session, and proposes the rule: ${rule}`) } : row,
  ),
});
