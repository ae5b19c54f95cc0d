import { visible } from "../../../text/visible.ts";
import type { Theme } from "./theme.ts";
import { wrapLine } from "./width.ts";

export interface MarkdownStream {
  push(text: string): string[];
  tail(): string[];
  end(): string[];
}

export function createMarkdownStream(width: number, _theme: Theme): MarkdownStream {
  let tail = "";
  return {
    push(text) {
      const lines = (tail + text).split("\n");
      tail = lines.pop()!;
      return lines.flatMap((line) => wrapLine(visible(line), width));
    },
    tail: () => (tail === "" ? [] : wrapLine(visible(tail), width)),
    end() {
      const rest = tail;
      tail = "";
      return rest === "" ? [] : wrapLine(visible(rest), width);
    },
  };
}
