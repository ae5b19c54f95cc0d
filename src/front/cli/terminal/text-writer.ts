import { visible } from "../../../text/visible.ts";

/** Writes the model's words to stdout. */
export interface TextWriter {
  say(text: string): void;
  /** Ends what was said with a line break of its own, if it said anything. */
  end(): void;
  /** Nothing unfinished stands in the last line. */
  atLineStart(): boolean;
}

/** The text as it comes. */
export function createPlainWriter(stdout: { write(text: string): unknown }): TextWriter {
  const whole = createCharacterJoiner();
  let started = true;
  const put = (text: string) => {
    if (text === "") return;
    stdout.write(visible(text));
    started = text.endsWith("\n");
  };
  return {
    say: (text) => put(whole.add(text)),
    end() {
      put(whole.rest());
      if (!started) put("\n");
    },
    atLineStart: () => started,
  };
}

/** Pieces may be cut anywhere: half a character, or half of a line's end, waits for the other half. */
export function createCharacterJoiner() {
  let held = "";
  return {
    add(text: string): string {
      const all = held + text;
      held = /[\r\ud800-\udbff]$/.exec(all)?.[0] ?? "";
      return held === "" ? all : all.slice(0, -1);
    },
    rest(): string {
      const last = held;
      held = "";
      return last;
    },
  };
}
