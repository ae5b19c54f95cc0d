import { CommandError, type SlashCommand } from "../../../core/command.ts";
import type { Agent } from "../../../runtime/agent/agent-types.ts";
import type { Autonomy } from "../../../runtime/governance/governance.ts";
import { plural } from "../../../text/words.ts";
import type { ChatScreen } from "./chat-screen.ts";
import type { OpenScreenApp } from "./screen-app.ts";
import type { ScreenViews } from "./screen-views.ts";
import { editOutside } from "./typing/external-editor.ts";

/** Keys and slash commands of the screen itself. */
export interface ScreenCommands {
  readonly slash: readonly SlashCommand[];
  /** False where the key is none of them. */
  key(name: string): boolean;
  rewind(): void;
  /** The line only looks at something, and need not wait for the end of a turn. */
  isAtOnce(line: string): boolean;
}

export interface ScreenCommandParts {
  readonly agent: Agent;
  readonly screen: ChatScreen;
  readonly views: ScreenViews;
  app(): OpenScreenApp;
  warn(text: string): void;
  note(text: string): void;
  /** Leaves this conversation and goes on with another one. */
  goOnWith(conversation: string): void;
}

/** Shift-Tab goes through these. `full` is too much for a key that is pressed by mistake. */
const CYCLE: readonly Autonomy[] = ["supervised", "edits", "readonly"];
const AUTONOMY: Readonly<Partial<Record<Autonomy, string>>> = {
  supervised: "supervised: what changes something is asked about",
  edits: "edits: files of this workspace are edited without a question",
  readonly: "readonly: nothing is changed",
};
const AT_ONCE = /^\/(?:resources|open|background|help|status|tools|judge|cache-stats|show|policy|exit)\b/;
const NOTHING = { text: "" };

export function createScreenCommands(parts: ScreenCommandParts): ScreenCommands {
  const { agent, screen, views, app } = parts;
  const { draft, writer } = screen;
  const cycle = () => {
    const { governance } = agent.zeph;
    const next = CYCLE[(CYCLE.indexOf(governance.autonomy()) + 1) % CYCLE.length]!;
    governance.chooseAutonomy(next);
    app().note(AUTONOMY[next]!);
  };
  /** Whatever a key began and could not do is told. */
  const attempted = (work: () => Promise<void>) => void work().catch((error: Error) => parts.warn(error.message));
  const edit = async () => {
    const before = draft.whole();
    draft.set(draft.shown(await screen.lend(() => editOutside(before))));
    writer.refresh();
  };
  const rewind = async () => {
    const to = await views.choosePoint();
    if (to === null) return;
    const { text, messages } = await agent.rewind(to);
    parts.note(`${plural(messages, "message")} taken back. Files are as they were: /undo puts them back.`);
    draft.set(draft.shown(text));
    writer.refresh();
  };
  const background = async () => {
    const id = await views.chooseRun();
    if (id !== null) await agent.endRun(id);
  };
  const ofPart = (name: string): SlashCommand | undefined => agent.commands().find((command) => command.name === name);
  const slash: SlashCommand[] = [
    {
      name: "/resources",
      usage: "/resources",
      help: "show or hide filters, tokens, calls, gates, hosts and background commands, as Ctrl-T does",
      async run() {
        app().togglePanel();
        return NOTHING;
      },
    },
    {
      name: "/open",
      usage: "/open [n]",
      help: "look at the calls again, or at call n, as Ctrl-O does",
      async run(rest) {
        const view = rest.trim() === "" ? null : views.call(Number(rest));
        if (view === undefined) throw new CommandError(`Call ${rest.trim()} is not kept. Ctrl-O lists those that are.`);
        if (view) views.open(view);
        else views.calls();
        return NOTHING;
      },
    },
    {
      name: "/sessions",
      usage: "/sessions",
      help: "go on with another conversation of this folder",
      async run() {
        const id = await views.chooseSession();
        if (id !== null && id !== agent.conversation) parts.goOnWith(id);
        return NOTHING;
      },
    },
    {
      name: "/model",
      usage: "/model [name]",
      help: "let another model answer from now on",
      async run(rest) {
        const name = rest.trim() || (await views.chooseModel());
        if (name === null) return NOTHING;
        await agent.useModel(name);
        return { text: `${agent.model.id} answers from now on.` };
      },
    },
    {
      name: "/background",
      usage: "/background [list|kill <n>]",
      help: "list the commands in the background, or end one",
      complete: (rest) => ofPart("/background")?.complete?.(rest) ?? [],
      async run(rest, signal) {
        if (rest.trim() !== "") return (await ofPart("/background")?.run(rest, signal)) ?? NOTHING;
        attempted(background);
        return NOTHING;
      },
    },
    {
      name: "/rewind",
      usage: "/rewind",
      help: "go back to before one of your messages, as Esc twice does",
      async run() {
        await rewind();
        return NOTHING;
      },
    },
  ];
  const keys: Readonly<Record<string, () => void>> = {
    "ctrl-t": () => app().togglePanel(),
    "ctrl-o": views.calls,
    "ctrl-l": () => {
      writer.withdraw();
      writer.redraw();
    },
    "ctrl-z": screen.suspend,
    "ctrl-g": () => attempted(edit),
    "shift-tab": cycle,
  };
  return {
    slash,
    key(name) {
      const act = keys[name];
      act?.();
      return act !== undefined;
    },
    rewind: () => attempted(rewind),
    isAtOnce: (line) => AT_ONCE.test(line),
  };
}
