import { userInfo } from "node:os";
import { type Answer, type Answered, isAnswer } from "../../../core/event.ts";
import { openQuestionJson } from "../../../core/event-json.ts";
import type { OpenQuestion, OpenQuestions } from "../../../core/ports/open-questions.ts";
import { isAgentProcess } from "../../../files/agent-process.ts";
import { answerCommand } from "../../../question/flags.ts";
import { viewQuestion } from "../../../question/question.ts";
import { questionText } from "../../../question/text.ts";
import { timeWords } from "../../../runtime/agent/scheduled-add.ts";
import type { OpenLiveSource, RunningQuestion } from "../../../runtime/live/live-source.ts";
import { attempt } from "../../../text/attempt.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { withStores } from "../command.ts";
import { EXIT, exitCode } from "../exit.ts";
import { assertPersonDecides } from "../hook/client-above.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { answerLine, jsonLine, printOutcome } from "../run/print.ts";
import { tellRun } from "../run/run.ts";
import { wishOf } from "../run/run-options.ts";
import { withRuntime } from "../runtime.ts";
import { listenForStop } from "../stop.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { openRunningProcesses } from "./running-processes.ts";

/** `zeph answer`: questions that were left for later, and those of running processes. Returns the exit code. */
export async function answer(given: Invocation): Promise<number> {
  const { words, flags, settings, terminal } = given;
  const [id, word, ...more] = words;
  if (more.length > 0) throw new UsageError(`"${more[0]}" is one word too many. Put a reason into quotes: --reason "…".`);
  const said = () => ({ answer: answerIn(word ?? ""), by: nameOf(flags), ...reasonIn(flags) });
  const found = await withStores(settings, terminal, async (desk) => {
    const { openQuestions, at } = desk;
    if (word !== undefined) assertPersonDecides(at, "zeph answer");
    const live = openRunningProcesses(desk, settings, { where: "zeph answer" });
    try {
      const open = await allOpen(openQuestions, live);
      if (id === undefined) return list(flags.all ? open : open.filter(({ workspace }) => workspace === process.cwd()), given);
      const one = oneOf(open, id);
      if (word === undefined) return show(one, given);
      if (one.pid !== undefined) return await answerRunning(live, one, said(), given);
      const question = (await openQuestions.get(one.callId))!;
      assertNotAsked(question, at.audit);
      return question;
    } finally {
      live.close();
    }
  });
  if (typeof found === "number") return found;
  // The files and rules of a question are those of its folder.
  process.chdir(found.workspace);
  if (!flags.json) terminal.stderr.write(`${terminal.err.dim(nextText(found, said()))}\n`);
  return found.question.conversation === undefined ? makeCall(found, said(), given) : goOn(found, said(), given);
}

/** A question of a running process has its number. */
type Open = Pick<OpenQuestion, "callId" | "workspace" | "since" | "question"> & Pick<RunningQuestion, "pid">;

/** Those of the store, and those that only a running process knows. The oldest first. */
async function allOpen(stored: OpenQuestions, live: OpenLiveSource): Promise<readonly Open[]> {
  await live.ready();
  const running = (await live.questions()).filter(({ pid }) => pid !== undefined);
  const left = (await stored.list()).filter(({ callId }) => !running.some((one) => one.callId === callId));
  return [...left, ...running].sort((a, b) => a.since - b.since);
}

/** The process that asked is told, and goes on. */
async function answerRunning(
  live: OpenLiveSource,
  { callId, pid }: Open,
  said: Required<Pick<Answered, "by">> & Answered,
  { flags, terminal: { stdout } }: Invocation,
): Promise<number> {
  const told = await live.answer(callId, said);
  if (!told.counts) throw new UsageError(told.why);
  stdout.write(flags.json ? jsonLine({ call_id: callId, pid, answered: said }) : `${told.message}\n`);
  return EXIT.ok;
}

const SHORTEST_ID = 4;

function oneOf(open: readonly Open[], id: string): Open {
  const whole = open.find(({ callId }) => callId === id);
  if (whole) return whole;
  const [one, another] = id.length < SHORTEST_ID ? [] : open.filter(({ callId }) => callId.startsWith(id.toLowerCase()));
  if (another) throw new UsageError(`More than one question begins with ${id}. Type more of its id.`);
  if (!one) throw new UsageError(`No question ${id} is open. \`zeph answer --all\` lists those that are.`);
  return one;
}

/** Two answers to one question would part the conversation in two. */
function assertNotAsked({ asking }: OpenQuestion, log: string): void {
  if (asking !== undefined && isAgentProcess(asking, log))
    throw new UsageError(`The question is open in another window, in process ${asking}. Answer it there.`);
}

const ANSWERS_HERE: readonly Answer[] = ["once", "session", "always", "no"];

function answerIn(word: string): Answer {
  if (isAnswer(word) && ANSWERS_HERE.includes(word)) return word;
  throw new UsageError(`"${word}" is no answer. Say ${ANSWERS_HERE.join(", ")}.`);
}

/** What comes of an answer, told before it does. */
function nextText({ question: { tool, conversation }, repeats }: OpenQuestion, { answer }: Answered): string {
  const what = answer === "no" ? `The call of ${tool} is not made.` : `The call of ${tool} is judged again with your yes and then made.`;
  if (repeats) return visible(`The answer is kept for the client that asked about ${tool}.`);
  return visible(conversation === undefined ? what : `${what} The model is told, and the conversation goes on here.`);
}

const nameOf = ({ by }: Invocation["flags"]): string => (typeof by === "string" ? by : attempt(() => userInfo().username, "user"));
const reasonIn = ({ reason }: Invocation["flags"]) => (typeof reason === "string" && reason.trim() !== "" ? { reason } : {});

const openJson = (open: Open): object => ({ ...openQuestionJson(open), ...(open.pid !== undefined && { pid: open.pid }) });

function list(open: readonly Open[], { flags, terminal }: Invocation): number {
  terminal.stdout.write(flags.json ? jsonLine(open.map(openJson)) : listText(open, flags.all === true, terminal));
  return EXIT.ok;
}

function listText(open: readonly Open[], isAll: boolean, { out }: Terminal): string {
  if (open.length === 0) return isAll ? "No question is open.\n" : "No question is open in this folder. --all lists those of others.\n";
  const now = Date.now();
  return open
    .map(({ callId, since, workspace, pid, question: { tool, args, caller } }) => {
      const about = [oneLine(visible(JSON.stringify(args) ?? ""), 200), ...(isAll ? [visible(workspace)] : [])];
      const who = caller === undefined ? "" : ` for ${visible(caller)}`;
      const where = pid === undefined ? "" : `, asked now by process ${pid}`;
      return `${shownId(callId)}  ${timeWords(since, now)}  ${visible(tool)}${who}${where}\n${about.map((line) => `          ${out.dim(line)}\n`).join("")}`;
    })
    .join("");
}

/** The number of a second question about one call stays. */
const shownId = (callId: string): string => (callId.includes(".") ? callId : callId.slice(0, 8));

function show(open: Open, { flags, terminal }: Invocation): number {
  const { question } = open;
  if (flags.json) terminal.stdout.write(jsonLine(openJson(open)));
  else {
    const view = viewQuestion(question);
    const text = "tooLong" in view ? view.tooLong : questionText(view, { colors: terminal.out, columns: terminal.stdout.columns ?? 80 });
    terminal.stdout.write(`${text}\nAnswer with: ${answerCommand(question)}\n`);
  }
  return EXIT.ok;
}

/** A call of no conversation: it is made now, and its result is printed here. */
async function makeCall({ callId, repeats }: OpenQuestion, said: Answered, { flags, settings, terminal }: Invocation): Promise<number> {
  const stop = listenForStop();
  return withRuntime(settings, {}, terminal, async (zeph) => {
    const started = performance.now();
    const outcome = await zeph.answer(callId, said, { signal: stop.signal });
    if (repeats && !outcome.ok && outcome.waiting) {
      terminal.stdout.write(flags.json ? jsonLine({ call_id: callId, kept: said }) : `${outcome.error.message}\n`);
      return EXIT.ok;
    }
    if (flags.json) terminal.stdout.write(answerLine(outcome, performance.now() - started));
    else printOutcome(outcome, terminal);
    return exitCode(outcome);
  });
}

/** The conversation goes on here. What it asks next is left for later again. */
const goOn = ({ callId, question }: OpenQuestion, said: Answered, given: Invocation): Promise<number> =>
  tellRun(
    given,
    async () => ({
      form: given.flags.json ? "json" : "text",
      wish: { ...wishOf(given.flags), conversation: question.conversation! },
      limits: {},
      background: "wait",
      answers: "nobody",
      flags: { yes: false, withoutWalls: false, later: true },
    }),
    (agent, _options, turn) => agent.answer(callId, said, turn),
  );
