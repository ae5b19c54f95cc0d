import { userInfo } from "node:os";
import type { OpenQuestion, OpenQuestions } from "../../../core/ports/open-questions.ts";
import { isTicket, LIFTED_MS } from "../../../runtime/hook/hook-tickets.ts";
import { NETWORK } from "../../../runtime/hook/name-questions.ts";
import { attempt } from "../../../text/attempt.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import { readArgs, UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine, localTime } from "../run/print.ts";
import { assertNotItsOwn, assertPersonHere } from "./client-above.ts";

const MINUTES = LIFTED_MS / 60_000;

/** `zeph hook list`: questions that a client could not put. */
export async function listTickets({ words, settings, terminal }: Invocation): Promise<number> {
  const { values } = readArgs(words, "Usage: zeph hook list [--json]", 0, { json: { type: "boolean" } });
  return withStores(settings, terminal, async ({ openQuestions }) => {
    const open = await openTickets(openQuestions);
    const { stdout, out } = terminal;
    if (values.json) stdout.write(jsonLine(open.map(ticketJson)));
    else if (open.length === 0) stdout.write("No client waits for an answer.\n");
    for (const one of values.json ? [] : open) {
      const { tool, caller = "" } = one.question;
      stdout.write(`${one.callId}  ${localTime(one.since)}  ${visible(`${tool} for the ${caller}`)}\n`);
      for (const line of [oneLine(visible(JSON.stringify(one.args) ?? ""), 200), visible(one.workspace)])
        stdout.write(`          ${out.dim(line)}\n`);
    }
    return EXIT.ok;
  });
}

/** `zeph hook approve`: shows the whole call, and lifts exactly that one, once. Only at a terminal, and by a person. */
export async function approveTicket({ words, settings, terminal }: Invocation): Promise<number> {
  const { positionals } = readArgs(words, "Usage: zeph hook approve <id>", 1, {});
  return withStores(settings, terminal, async ({ openQuestions, at }) => {
    assertPersonHere(at, "zeph hook approve");
    assertNotItsOwn(at, "zeph hook approve");
    if (!terminal.attended)
      throw new UsageError("zeph hook approve asks at a terminal, and there is none. No option answers in its place.");
    const ticket = findTicket(await openTickets(openQuestions), positionals[0]);
    terminal.stdout.write(`${ticketText(ticket)}\n`);
    const { agreeAtTerminal } = await import("../ask/person.ts");
    const { name } = ticket.args as { readonly name?: unknown };
    const question =
      ticket.question.tool === NETWORK
        ? `Open ${visible(String(name))} to commands of this session? They may send there what they can read. The yes must be used within ${MINUTES} minutes.`
        : `Let this very call be made, once, within ${MINUTES} minutes?`;
    if (!(await agreeAtTerminal(question, terminal))) {
      terminal.stderr.write(`It stays as it is. \`zeph hook deny ${ticket.callId}\` takes the question away.\n`);
      return EXIT.unanswered;
    }
    const by = attempt(() => userInfo().username, "user");
    if (!(await openQuestions.answer(ticket.callId, { answer: "once", by })))
      throw new UsageError(`The question ${ticket.callId} was answered a moment ago.`);
    terminal.stdout.write("Approved. The client may make the same call again.\n");
    return EXIT.ok;
  });
}

/** `zeph hook deny`: takes a question away; the call is not made. */
export async function denyTicket({ words, settings, terminal }: Invocation): Promise<number> {
  const { positionals } = readArgs(words, "Usage: zeph hook deny <id>", 1, {});
  return withStores(settings, terminal, async ({ openQuestions, at }) => {
    assertPersonHere(at, "zeph hook deny");
    const ticket = findTicket(await openTickets(openQuestions), positionals[0]);
    await openQuestions.take(ticket.callId);
    terminal.stdout.write(`The question ${ticket.callId} is gone, and the call is not made.\n`);
    return EXIT.ok;
  });
}

const openTickets = async (questions: OpenQuestions): Promise<readonly OpenQuestion[]> => (await questions.list()).filter(isTicket);

const SHORTEST_ID = 4;

function findTicket(open: readonly OpenQuestion[], id: string | undefined): OpenQuestion {
  if (id === undefined) throw new UsageError("Say which question. `zeph hook list` lists them.");
  const [one, another] = id.length < SHORTEST_ID ? [] : open.filter(({ callId }) => callId.startsWith(id.toLowerCase()));
  if (another) throw new UsageError(`More than one question begins with ${id}. Type more of its id.`);
  if (!one) throw new UsageError(visible(`No question ${id} of a client is open. \`zeph hook list\` lists those that are.`));
  return one;
}

/** All of it: a yes to what was cut away would be a yes to something unseen. */
function ticketText({ callId, workspace, question: { tool, caller = "", why }, args, since }: OpenQuestion): string {
  const rows = [
    `Question ${callId} of the ${caller}, ${localTime(since)}`,
    `Folder: ${workspace}`,
    `Tool: ${tool}`,
    `Arguments: ${JSON.stringify(args, null, 2)}`,
    ...why.map((one) => `Why it is asked: ${one}`),
  ];
  return visible(rows.join("\n"));
}

const ticketJson = ({ callId, workspace, since, question: { tool, caller, why }, args }: OpenQuestion) => ({
  id: callId,
  client: caller,
  folder: workspace,
  since: new Date(since).toISOString(),
  tool,
  args,
  why,
});
