/** Sets the terminal to what the screen needs, and back, however the process ends. */
export interface TerminalModes {
  on(): void;
  off(): void;
}

const PASTES_ON = "\u001b[?2004h";
const PASTES_OFF = "\u001b[?2004l";
const FOCUS_ON = "\u001b[?1004h";
const FOCUS_OFF = "\u001b[?1004l";
const SHOW = "\u001b[?25h";

type Input = Pick<NodeJS.ReadStream, "setRawMode" | "resume" | "pause">;
type Output = { write(text: string): unknown };

export function createTerminalModes(stdin: Input, stdout: Output, leaveViews: () => void): TerminalModes {
  let isOn = false;
  const self: TerminalModes = {
    on() {
      if (isOn) return;
      isOn = true;
      stdin.setRawMode(true);
      stdin.resume();
      stdout.write(`${PASTES_ON}${FOCUS_ON}`);
    },
    off() {
      if (!isOn) return;
      isOn = false;
      try {
        stdout.write(`${PASTES_OFF}${FOCUS_OFF}${SHOW}`);
        stdin.setRawMode(false);
      } catch {
        // A terminal that is gone cannot be set back.
      }
    },
  };
  // Also after a crash, and where somebody calls process.exit().
  process.once("exit", () => {
    if (!isOn) return;
    leaveViews();
    self.off();
  });
  return self;
}
