import pc from "picocolors";
import type { Terminal } from "../terminal/terminal.ts";
import type { ScreenWriter } from "./screen-writer.ts";
import type { Theme } from "./theme.ts";

/** A terminal for what writes lines of text: each finished line goes into the scrollback, above what is live. */
export interface ScreenTerminal extends Terminal {
  /** The line that has no end yet. */
  flush(): void;
}

/** Commands of the chat write to stdout and stderr; here both are the screen. */
export function createScreenTerminal(writer: ScreenWriter, { stdin }: Pick<Terminal, "stdin">, theme: () => Theme): ScreenTerminal {
  let begun = "";
  const write = (text: string): boolean => {
    const lines = (begun + text).split("\n");
    begun = lines.pop()!;
    if (lines.length > 0) writer.commit(lines);
    return true;
  };
  const stream = {
    isTTY: true,
    write,
    get columns() {
      return writer.size().columns;
    },
    get rows() {
      return writer.size().rows;
    },
  } as unknown as NodeJS.WriteStream;
  const colors = () => pc.createColors(theme().dim("x") !== "x");
  return {
    stdin,
    stdout: stream,
    stderr: stream,
    get out() {
      return colors();
    },
    get err() {
      return colors();
    },
    attended: true,
    flush: () => void (begun !== "" && write("\n")),
  };
}
