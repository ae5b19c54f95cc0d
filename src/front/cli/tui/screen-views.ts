import type { Agent } from "../../../runtime/agent/agent-types.ts";
import { openDesk } from "../../../runtime/create.ts";
import { gateViews } from "../../../runtime/rules/gate-views.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { plural } from "../../../text/words.ts";
import type { CallOutputs } from "../chat/call-outputs.ts";
import { readWholeOutput } from "../chat/show.ts";
import type { GlobalSettings } from "../runtime.ts";
import type { ChatScreen } from "./chat-screen.ts";
import type { PastCalls } from "./past-calls.ts";
import type { ShownCall } from "./view/call.ts";
import { createCallView } from "./view/full/call-view.ts";
import type { FullView } from "./view/full/full-view.ts";
import { createCallList, createModelPicker, createRunList, createSessionPicker } from "./view/full/lists.ts";
import { createPicker } from "./view/full/picker.ts";
import type { ViewStack } from "./view-stack.ts";

/** Views over the whole window: to look again, and to choose. */
export interface ScreenViews {
  calls(): void;
  /** Undefined where no call of this number is kept. */
  call(n: number): FullView | undefined;
  open(view: FullView): void;
  /** The id of a conversation to go on with; null where none was chosen. */
  chooseSession(): Promise<string | null>;
  /** The name of a provider; null where none was chosen. */
  chooseModel(): Promise<string | null>;
  /** The id of a background command to end; null where none was chosen. */
  chooseRun(): Promise<string | null>;
  /** Where to go back to; null where nothing was chosen. */
  choosePoint(): Promise<string | null>;
}

export interface ScreenViewParts {
  readonly agent: Agent;
  readonly settings: GlobalSettings;
  readonly screen: Pick<ChatScreen, "theme">;
  readonly kept: PastCalls;
  readonly outputs: CallOutputs;
  readonly views: ViewStack;
}

const MOST_SESSIONS = 200;

export function createScreenViews({ agent, settings, screen, kept, outputs, views }: ScreenViewParts): ScreenViews {
  const { theme } = screen;
  const open = (view: FullView) => void views.open(view);
  const chosen = async <T>(view: FullView): Promise<T | null> => (await views.open(view)) as T | null;
  const callView = (call: ShownCall): FullView =>
    createCallView(
      call,
      {
        text: outputs.get(call.n)?.text ?? call.outcome.output?.text ?? "",
        async raw() {
          const kept = outputs.get(call.n);
          return kept ? readWholeOutput(kept, settings) : null;
        },
        async gates() {
          const found = await agent.zeph.judge(call.request.name, call.request.args);
          return gateViews(found, agent.zeph.governance.gates());
        },
        redraw: views.paint,
      },
      theme(),
    );
  return {
    open,
    calls: () => open(createCallList(kept.all, callView, theme())),
    call(n) {
      const found = kept.all().find((call) => call.n === n);
      return found && callView(found);
    },
    async chooseSession() {
      const cwd = process.cwd();
      const found = await whileOpen(openDesk(cwd, settings), ({ conversations }) =>
        conversations.list({ workspace: cwd, limit: MOST_SESSIONS }),
      );
      return chosen<string>(createSessionPicker(() => found, theme()));
    },
    async chooseModel() {
      const { providers } = await whileOpen(openDesk(process.cwd(), settings), async ({ loaded }) => loaded.config.llm);
      const models = providers.map(({ name, type, model }) => ({
        name,
        about: `${type} ${model ?? ""}`.trim(),
        isCurrent: agent.model.id.endsWith(`/${model}`),
      }));
      return chosen<string>(createModelPicker(() => models, theme()));
    },
    chooseRun: () =>
      chosen<string>(
        createRunList(
          () =>
            agent.runs().map(({ id, command, since, until = Date.now(), state, exitCode }) => ({
              id,
              command,
              state: exitCode === undefined ? state : `${state}, exit ${exitCode}`,
              isRunning: state === "running",
              ms: until - since,
            })),
          theme(),
        ),
      ),
    async choosePoint() {
      const points = await agent.rewindPoints();
      return chosen<string>(
        createPicker(
          {
            title: "Go back to before one of your messages",
            items: () => points.map(({ id, text }, n) => ({ name: text, help: plural(points.length - n, "message"), value: id })),
            empty: "nothing was said yet",
            enter: "goes back; files stay as they are",
            from: "last",
            choose: (id) => ({ chosen: id }),
          },
          theme(),
        ),
      );
    },
  };
}
