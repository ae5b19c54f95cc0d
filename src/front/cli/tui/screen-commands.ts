import type { SlashCommand } from "../../../core/command.ts";
import type { Agent } from "../../../runtime/agent/agent-types.ts";
import type { Autonomy } from "../../../runtime/governance/governance.ts";
import type { ChatScreen } from "./chat-screen.ts";
import { editOutside } from "./external-editor.ts";
import type { OpenScreenApp } from "./screen-app.ts";
import type { TurnLines } from "./turn-lines.ts";
import type { ViewStack } from "./view-stack.ts";

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
  readonly lines: Pick<TurnLines, "shelf">;
  readonly views: ViewStack;
  app(): OpenScreenApp;
  isBusy(): boolean;
  warn(text: string): void;
  submit(text: string): void;
}

/** Shift-Tab goes through these. `full` is too much for a key that is pressed by mistake. */
const CYCLE: readonly Autonomy[] = ["supervised", "edits", "readonly"];
const AT_ONCE = /^\/(?:resources|open|background|help|status|tools|judge|cache-stats|show|policy|exit)\b/;

export function createScreenCommands(parts: ScreenCommandParts): ScreenCommands {
  const { agent, screen, app } = parts;
  const { draft, writer } = screen;
  const cycle = () => {
    const { governance } = agent.zeph;
    const next = CYCLE[(CYCLE.indexOf(governance.autonomy()) + 1) % CYCLE.length]!;
    governance.chooseAutonomy(next);
    app().note(AUTONOMY[next]!);
  };
  const edit = async () => {
    try {
      draft.set(draft.shown(await screen.lend(() => editOutside(draft.whole()))));
    } catch (error) {
      parts.warn((error as Error).message);
    }
    writer.refresh();
  };
  const keys: Readonly<Record<string, () => void>> = {
    "ctrl-t": () => app().togglePanel(),
    "ctrl-l": () => {
      writer.withdraw();
      writer.redraw();
    },
    "ctrl-z": screen.suspend,
    "ctrl-g": () => void edit(),
    "shift-tab": cycle,
  };
  return {
    slash: [
      {
        name: "/resources",
        usage: "/resources",
        help: "show or hide filters, tokens, calls, gates, hosts and background commands; the same as Ctrl-T",
        run: async () => {
          app().togglePanel();
          return { text: "" };
        },
      },
    ],
    key(name) {
      const act = keys[name];
      act?.();
      return act !== undefined;
    },
    rewind() {},
    isAtOnce: (line) => AT_ONCE.test(line),
  };
}

const AUTONOMY: Readonly<Partial<Record<Autonomy, string>>> = {
  supervised: "supervised: what changes something is asked about",
  edits: "edits: files of this workspace are edited without a question",
  readonly: "readonly: nothing is changed",
};
