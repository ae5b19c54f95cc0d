import { fleetCallerId } from "../../core/ports/fleet/person.ts";
import type { Bus, HeldSession } from "../../core/ports/fleet/session.ts";
import type { ModelMiddleware } from "../../core/ports/model.ts";
import type { Store } from "../../core/ports/store.ts";
import type { TaskHands, TaskOutcome, WorkerOptions } from "../../fleet/run-worker.ts";
import type { TurnMessage, TurnRows, TurnStart } from "../../fleet/session/turn-rows.ts";
import type { TakenTask } from "../../fleet/worker-queue.ts";
import { WorkspaceError } from "../../fleet/workspace/error.ts";
import type { FleetFolders, SessionFolder } from "../../fleet/workspace/fleet-folders.ts";
import type { FolderSetup } from "../../fleet/workspace/setup-cache.ts";
import { nameWorkspace } from "../../store/workspace-name.ts";
import { openAgent } from "../agent/agent.ts";
import type { Agent, AgentOptions } from "../agent/agent-types.ts";
import type { OpenOptions } from "../runtime.ts";
import { runAgentTurn } from "./agent-turn.ts";
import { readFates } from "./call-fates.ts";
import { openModelWatch } from "./model-watch.ts";
import type { SessionGovernance } from "./session-govern.ts";
import { setUpFolder } from "./set-up-folder.ts";
import { createTurnEvents } from "./turn-events.ts";
import { emptyOutcome, endedOutcome, stoppedOutcome, troubleOutcome } from "./turn-outcome.ts";
import { foundText } from "./turn-words.ts";

export interface TurnParts {
  readonly rows: TurnRows;
  /** The shared store, for one session: what it writes names the session's number. */
  readonly storeFor: (hands: Pick<TaskHands, "fence">) => Store;
  readonly workspaces: FleetFolders;
  /** Names where this worker keeps folders. */
  readonly place: string;
  readonly bus?: Bus | undefined;
  /** What agents of this worker are opened with. */
  readonly settings: Pick<AgentOptions & OpenOptions, "config" | "set" | "model" | "ship">;
  /** By which rules, and by whose answers; without it, those of the worker's configuration alone, and nobody is asked. */
  readonly governance?: Pick<SessionGovernance, "open" | "confirmFor" | "withdraw"> | undefined;
  /** Commands that make what git ignores, by what a repository's address begins with. */
  readonly setups?: readonly (FolderSetup & { readonly repo: string })[];
  /** Functions around the model of a task. */
  readonly middlewareFor?: ((task: TakenTask) => readonly ModelMiddleware[]) | undefined;
  readonly warn: (words: string) => void;
}

/** One turn of a session, as a real agent: what `runWorker` does with a task. */
export const createTurnRunner =
  (parts: TurnParts): WorkerOptions["runTask"] =>
  async (task, hands) => {
    const start = await parts.rows.begin(task, parts.place);
    if (start === null) return LOST.outcome;
    let folder: SessionFolder;
    try {
      folder = await openFolder(parts, task, start, hands.signal);
    } catch (error) {
      if (!(error instanceof WorkspaceError) || hands.signal.aborted) throw error;
      return troubleOutcome(error.message, error.isPassing);
    }
    let stays = false;
    try {
      const { outcome, isLost } = await takeFleetTurn(parts, task, hands, start, folder);
      // A folder of a session that somebody else has by now is nobody's.
      if (isLost) return outcome;
      if (outcome.end === "cancelled")
        await parts.governance?.withdraw(task.session).catch((error) => parts.warn((error as Error).message));
      await keepFolder(parts, task, hands, start, folder);
      stays = !OWN_SESSION.test(task.session);
      const ref = folder.ref();
      return "result" in outcome ? { ...outcome, stays, result: { ...outcome.result, ...(ref !== null && { snapshot: ref }) } } : outcome;
    } finally {
      await folder.leave(stays ? "stays" : "goes").catch((error) => parts.warn((error as Error).message));
    }
  };

/** A task without a session has one that ends with it. */
const OWN_SESSION = /^task-[0-9a-f-]{36}$/;

const openFolder = ({ workspaces }: TurnParts, { session }: TakenTask, { isHere, repo, snapshot }: TurnStart, signal: AbortSignal) =>
  workspaces.open({
    session,
    isHere,
    ...(repo && { repo }),
    last: snapshot && snapshot.repo === repoKey(repo) ? snapshot : null,
    signal,
  });

const repoKey = (repo: TurnStart["repo"]): string => repo?.url ?? "";

/** First where others find it, then the row: a row without its commit would promise too much. A task that was cancelled is put away, too. */
async function keepFolder(
  { rows, warn }: TurnParts,
  { session }: TakenTask,
  { fence, signal }: TaskHands,
  { repo }: TurnStart,
  folder: SessionFolder,
): Promise<void> {
  const lost = new AbortController();
  const look = () => signal.reason === "lost" && lost.abort();
  signal.addEventListener("abort", look);
  try {
    look();
    await folder.keep((snapshot) => rows.recordSnapshot(fence, snapshot, repoKey(repo)), lost.signal);
  } catch (error) {
    warn(`The folder of session ${session} was not put away. ${(error as Error).message}`);
  } finally {
    signal.removeEventListener("abort", look);
  }
}

interface TurnEnd {
  readonly outcome: TaskOutcome;
  readonly isLost?: true;
}

/** Nothing of it is recorded. */
const LOST: TurnEnd = { outcome: { end: "giveBack" }, isLost: true };

async function takeFleetTurn(
  parts: TurnParts,
  task: TakenTask,
  hands: TaskHands,
  start: TurnStart,
  folder: SessionFolder,
): Promise<TurnEnd> {
  const { rows, warn, bus, governance } = parts;
  const { session, payload } = task;
  const { person = NOBODY } = payload;
  if (start.messages.length === 0) return { outcome: emptyOutcome() };
  const store = nameWorkspace(parts.storeFor(hands), folder.folder, folder.name);
  const watch = openModelWatch(hands.isDraining);
  const governed = governance?.open({ person: () => person, ...(folder.repo !== null && { repo: folder.repo }) });
  let agent: Agent | null = null;
  try {
    const known = await store.conversations.get(session);
    const length = known?.length ?? 0;
    if (!(await rows.markSaid(task, length))) return LOST;
    const unsaid = start.messages.filter((message) => !isSaid(message, length));
    const failedSetup = await setUpFolder(parts, { folder, store, signal: hands.signal });
    const fates = await readFates(rows, store.conversations, { session, length, said: start.said });
    const isInterrupted = unsaid.length === 0;
    const news = foundText({ isInterrupted, isKnown: length > 0, folder: folder.state, fates: [...fates.values()], failedSetup });
    const held: HeldSession = {
      ledger: hands.ledger,
      fateOf: (call) => fates.get(call) ?? "unknown",
      ...(isInterrupted ? { resumes: true } : news !== null && { news }),
    };
    agent = await openAgent({
      ...parts.settings,
      cwd: folder.folder,
      shared: store,
      held,
      middleware: [watch.middleware, ...(parts.middlewareFor?.(task) ?? [])],
      ...(known ? { conversation: session } : { newConversation: session }),
      ...(payload.model !== undefined && { model: payload.model }),
      callerId: fleetCallerId({ tenant: task.tenant, person }),
      ...(governance && {
        fleet: governed!.fleet,
        confirm: governance.confirmFor({
          session,
          person: () => person,
          redact: (words) => agent?.zeph.redact(words) ?? "",
          fence: () => hands.fence,
          workspace: folder.folder,
        }),
      }),
    });
    const { redact } = agent.zeph;
    const events = createTurnEvents(bus, task, redact);
    const text = isInterrupted ? (news ?? GO_ON) : unsaid.map((message) => message.text).join("\n\n");
    const signal = AbortSignal.any([hands.signal, watch.draining]);
    const run = await runAgentTurn(agent, text, payload.limits, signal, events.tell).finally(events.flush);
    const ended = { ...run, text: redact(run.text), ...(run.message !== undefined && { message: redact(run.message) }) };
    const outcome = stoppedOutcome(hands.signal, watch.draining) ?? endedOutcome(ended, watch.fault());
    return hands.signal.reason === "lost" ? LOST : { outcome };
  } catch (error) {
    const words = agent?.zeph.redact((error as Error).message) ?? (error as Error).message;
    if (hands.signal.reason === "lost" || isFenced(error)) {
      warn(words);
      return LOST;
    }
    return { outcome: stoppedOutcome(hands.signal, watch.draining) ?? troubleOutcome(words, false) };
  } finally {
    watch.close();
    // What still runs for the session ends here.
    await agent?.close().catch((error) => warn((error as Error).message));
    await governed?.close().catch((error) => warn((error as Error).message));
  }
}

/** Who gave a task that names nobody. */
const NOBODY = "-";

const GO_ON = "[fleet] The process that worked on this was stopped, and another one goes on. Go on with the task.";

const isSaid = ({ position }: TurnMessage, length: number): boolean => position !== null && length > position;

/** The store's word for a session that somebody else has. */
const isFenced = (error: unknown): boolean =>
  error instanceof Error && error.name === "ConversationError" && error.message.includes("is held by another worker now");
