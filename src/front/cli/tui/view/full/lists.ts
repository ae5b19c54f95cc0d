import { plural } from "../../../../../text/words.ts";
import { argumentSummary } from "../../../run/ending.ts";
import { localTime } from "../../../run/print.ts";
import type { Theme } from "../../theme.ts";
import { callHead, type ShownCall } from "../call.ts";
import { shownText, timeTaken } from "../shown-text.ts";
import type { FullView } from "./full-view.ts";
import { createPager } from "./pager.ts";
import { createPicker } from "./picker.ts";

/** All calls that are kept; Enter opens one. */
export const createCallList = (calls: () => readonly ShownCall[], open: (call: ShownCall) => FullView, theme: Theme): FullView =>
  createPicker(
    {
      title: "Calls",
      items: () => calls().map((call) => ({ name: call.request.name, help: argumentSummary(call.request.args), value: call })),
      empty: "no tool was called yet",
      enter: "opens",
      from: "last",
      choose: (call) => ({ open: open(call) }),
      draw: (call, width) => callHead(call, width, theme),
    },
    theme,
  );

/** A stored conversation. */
export interface SessionFacts {
  readonly id: string;
  readonly title: string;
  /** In milliseconds since 1970. */
  readonly updatedAt: number;
  /** How many messages it has. */
  readonly length: number;
}

/** Conversations to go on with; chosen is the id. */
export const createSessionPicker = (sessions: () => readonly SessionFacts[], theme: Theme): FullView =>
  createPicker(
    {
      title: "Sessions",
      items: () =>
        sessions().map(({ id, title, updatedAt, length }) => ({
          name: title,
          help: [localTime(updatedAt), plural(length, "message"), id.slice(0, 8)].join(", "),
          value: id,
        })),
      empty: "no conversation is stored here",
      enter: "goes on with it",
      choose: (id) => ({ chosen: id }),
    },
    theme,
  );

/** A model that can be chosen. */
export interface ModelFacts {
  /** What `/model` takes. */
  readonly name: string;
  /** The provider, the price or what else tells it from others. */
  readonly about?: string;
  readonly isCurrent: boolean;
}

/** Models; chosen is the name. */
export const createModelPicker = (models: () => readonly ModelFacts[], theme: Theme): FullView =>
  createPicker(
    {
      title: "Models",
      items: () =>
        models().map(({ name, about = "", isCurrent }) => ({
          name,
          help: [...(isCurrent ? ["answers now"] : []), ...(about === "" ? [] : [about])].join(", "),
          value: name,
        })),
      empty: "no provider is set up",
      enter: "takes it",
      choose: (name) => ({ chosen: name }),
    },
    theme,
  );

/** A command in the background. */
export interface ShownRun {
  readonly id: string;
  readonly command: string;
  /** In words: `running`, `ended, exit 1`. */
  readonly state: string;
  readonly isRunning: boolean;
  readonly ms: number;
}

/** Background runs: Enter shows the whole command, Delete ends it; chosen is the id of the one to end. */
export const createRunList = (runs: () => readonly ShownRun[], theme: Theme): FullView =>
  createPicker(
    {
      title: "Background runs",
      items: () => runs().map((run) => ({ name: run.command, help: `${run.state}, ${timeTaken(run.ms)}`, value: run })),
      empty: "nothing runs in the background",
      enter: "shows it whole",
      choose: (run) => ({ open: createRunView(run, theme) }),
      actions: [{ key: "delete", label: "ends it", act: ({ id, isRunning }) => (isRunning ? { chosen: id } : "nothing") }],
    },
    theme,
  );

const createRunView = ({ command, state, ms }: ShownRun, theme: Theme): FullView =>
  createPager(
    {
      title: "Background run",
      lines: () => [
        ...shownText(command).split("\n"),
        "",
        theme.dim(`${shownText(state)}, ${timeTaken(ms)}`),
        theme.dim("What it prints is told to the model when it ends."),
      ],
    },
    theme,
  );
