import {
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import type { SlashCommand } from "../../core/command.ts";
import { createQueue } from "../../text/queue.ts";
import { visible } from "../../text/visible.ts";
import { waitWithin } from "../../text/wait-within.ts";
import { editorBuffers } from "./buffers.ts";
import { createEditorCalls } from "./calls.ts";
import type { EditorHost, EditorSession } from "./editor-agents.ts";
import { askElicitation } from "./elicit.ts";
import { createEventTeller } from "./event-teller.ts";
import { createEditorNotes } from "./notes.ts";
import { askPermission, leaveQuestion } from "./permission.ts";
import { replayConversation } from "./replay.ts";
import { configOptionsOf, isAutonomy, modesOf } from "./session-options.ts";
import { createEditorTerminal } from "./terminal.ts";
import { answerPrompt, type Turn } from "./turn.ts";
import type { Wire } from "./wire.ts";

/** One session as the protocol sees it. */
export interface AcpSession {
  readonly cwd: string;
  state(): { modes: SessionModeState; configOptions: SessionConfigOption[] };
  prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse>;
  /** Whatever is under way ends now. */
  cancel(): void;
  setMode(id: string): Promise<void>;
  setOption(id: string, value: unknown): Promise<SessionConfigOption[]>;
  /** Shows what was said before. */
  replay(): Promise<void>;
  /** Tells an editor that knows of the session which commands there are. */
  announce(): Promise<void>;
  close(): Promise<void>;
}

/** Opens what stands behind a session, and lends it the editor. Null when there is no such conversation. */
export async function openAcpSession(
  wire: Wire,
  cwd: string,
  open: (host: EditorHost) => Promise<EditorSession | null>,
  asks: "now" | "later",
): Promise<AcpSession | null> {
  /** Nothing is called before the session is there. */
  let redact = (text: string) => text;
  const calls = createEditorCalls(wire, cwd, (text) => redact(text));
  const notes = createEditorNotes(wire);
  const teller = createEventTeller(wire, calls, notes);
  /** One question after the other: an editor that is asked two at once may show neither. */
  const inTurn = createQueue();
  const closing = new AbortController();
  let turn: Turn | null = null;
  /** Questions that nobody has answered yet. */
  let asked = 0;
  /** The editor is gone, and with it who was asked: the questions are kept, and the turn ends by itself. */
  let isLeaving = false;
  const now = () => turn?.stop.signal ?? closing.signal;
  const buffers = editorBuffers(wire);
  const terminal = createEditorTerminal(wire, (callId, terminalId) => void calls.inTerminal(callId, terminalId));
  /** Something may be set differently now. Nobody is told of a session before it is there. */
  let changed = async (): Promise<void> => {};
  const session = await open({
    async confirm(question, context) {
      const signal = AbortSignal.any([now(), context.signal]);
      const put = () => (asks === "later" ? leaveQuestion({ notes }, question) : askPermission({ wire, calls, notes }, question, signal));
      asked++;
      return inTurn(() => (signal.aborted ? null : put())).finally(() => asked--);
    },
    elicit(asked, given) {
      const signal = AbortSignal.any([given, closing.signal]);
      return inTurn(() => askElicitation(wire, asked, signal));
    },
    editor: { ...(buffers && { buffers }), ...(terminal && { terminal }) },
    aside(event) {
      void teller.tell(event);
      void changed();
    },
  });
  if (!session) return null;
  redact = (text) => session.redact(text);
  for (const message of session.warnings) await notes.tell("warning", message);

  /** The state that the editor was told last. */
  const known = { autonomy: session.autonomy(), options: JSON.stringify(configOptionsOf(session)), commands: "" };
  const announceCommands = async () => {
    const commands = session.commands();
    const said = JSON.stringify(commands.map(({ name, usage, help }) => [name, usage, help]));
    if (said === known.commands) return;
    known.commands = said;
    await wire.update({ sessionUpdate: "available_commands_update", availableCommands: commands.map(available) });
  };
  /** A slash command or a changed file may have set things differently. */
  changed = async () => {
    const autonomy = session.autonomy();
    if (autonomy !== known.autonomy) await wire.update({ sessionUpdate: "current_mode_update", currentModeId: autonomy });
    known.autonomy = autonomy;
    const configOptions = configOptionsOf(session);
    const options = JSON.stringify(configOptions);
    if (options !== known.options) await wire.update({ sessionUpdate: "config_option_update", configOptions });
    known.options = options;
  };

  return {
    cwd,
    state: () => ({ modes: modesOf(session), configOptions: configOptionsOf(session) }),
    async prompt(blocks, signal) {
      if (turn && !turn.stop.signal.aborted)
        throw RequestError.invalidRequest(undefined, "This session is in the middle of a turn. Wait for its end, or cancel it first.");
      const mine: Turn = { stop: new AbortController(), before: turn?.work ?? null, work: null };
      turn = mine;
      const cancel = () => mine.stop.abort();
      const drop = () => {
        isLeaving = wire.gone.aborted && asked > 0;
        if (!isLeaving) cancel();
      };
      signal.addEventListener("abort", drop, { once: true });
      closing.signal.addEventListener("abort", cancel, { once: true });
      if (signal.aborted || closing.signal.aborted) cancel();
      try {
        return await answerPrompt({ wire, session, calls, notes, teller }, blocks, mine);
      } finally {
        signal.removeEventListener("abort", drop);
        closing.signal.removeEventListener("abort", cancel);
        void Promise.resolve(mine.work).finally(() => {
          if (turn === mine) turn = null;
        });
        await changed();
        await announceCommands();
      }
    },
    cancel: () => turn?.stop.abort(),
    async setMode(id) {
      if (!isAutonomy(id)) throw RequestError.invalidParams({ modeId: id }, "The modes are readonly, supervised, edits and full.");
      session.chooseAutonomy(id);
      known.autonomy = id;
      await changed();
    },
    async setOption(id, value) {
      if (id === "autonomy") {
        if (!isAutonomy(value)) throw RequestError.invalidParams({ value }, "autonomy is readonly, supervised, edits or full.");
        session.chooseAutonomy(value);
      } else if (id === "model") {
        const { options } = session.models();
        if (typeof value !== "string" || !options.some((one) => one.value === value))
          throw RequestError.invalidParams(
            { value },
            `There is no such model. The models are ${options.map((one) => one.value).join(", ")}.`,
          );
        await session.useModel(value).catch((error: unknown) => {
          throw RequestError.invalidParams({ value }, visible(error instanceof Error ? error.message : String(error)));
        });
      } else throw RequestError.invalidParams({ configId: id }, "The options are model and autonomy.");
      const configOptions = configOptionsOf(session);
      known.options = JSON.stringify(configOptions);
      await changed();
      return configOptions;
    },
    replay: async () => replayConversation(wire, { history: session.history(), waiting: await session.openQuestions() }, cwd, redact),
    async announce() {
      known.commands = "";
      await announceCommands();
    },
    async close() {
      if (isLeaving) await waitWithin(Promise.resolve(turn?.work), LEAVING_MS, null);
      closing.abort();
      await session.close();
    },
  };
}

/** How long a turn may take to leave its questions when the editor is gone. */
const LEAVING_MS = 700;

const available = ({ name, usage, help }: SlashCommand) => {
  const hint = usage.slice(name.length).trim();
  return { name: name.slice(1), description: help, ...(hint !== "" && { input: { hint } }) };
};
