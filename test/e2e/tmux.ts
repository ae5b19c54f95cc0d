import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { quoteShell } from "../../src/text/quote-shell.ts";
import { BIN, type Box } from "./zeph.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** How a chat looks to a person: the words that show it is ready, that it asks, and the keys that mean yes. */
export interface ChatLook {
  readonly settings: string;
  readonly ready: RegExp;
  readonly question: RegExp;
  readonly yes: readonly string[];
}

export const PLAIN: ChatLook = {
  settings: '[ui]\nscreen = "plain"\n',
  ready: /^you> *$/m,
  question: /Allow it\? .*: *$/,
  yes: ["y", "Enter"],
};

const EVERY_MS = 100;

/** The command in a window of tmux, as a person sees it. */
export function openTmux({ root, cwd, env }: Box, { ready, question, yes }: ChatLook) {
  // A server of its own, so that nothing of the person's is touched.
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", join(root, "tmux.sock"), "-f", "/dev/null", ...args], { cwd, env, encoding: "utf8" });
  const command = `exec ${[process.execPath, BIN].map(quoteShell).join(" ")} --no-color`;
  tmux("new-session", "-d", "-s", "zeph", "-x", "100", "-y", "40", "-c", cwd, command);
  const isOpen = () =>
    spawnSync("tmux", ["-S", join(root, "tmux.sock"), "has-session", "-t", "zeph"], { env, stdio: "ignore" }).status === 0;
  onTestFinished(() => void (isOpen() && tmux("kill-server")));
  const shown = () => tmux("capture-pane", "-p", "-J", "-t", "zeph");
  const press = (...keys: readonly string[]) => void tmux("send-keys", "-t", "zeph", ...keys);
  const until = async (isDone: (text: string) => boolean) => {
    for (;;) {
      if (!isOpen()) throw new Error("The window is closed.");
      const text = shown();
      if (isDone(text)) return text;
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  };
  const asks = (text: string) => question.test(text.trimEnd());
  return {
    ready: () => until((text) => ready.test(text)),
    say(text: string) {
      tmux("send-keys", "-t", "zeph", "-l", text);
      press("Enter");
    },
    /** Answers every question with yes until these words are on the screen. Returns how many there were. */
    async agreeUntil(words: string): Promise<number> {
      for (let asked = 0; ; asked++) {
        if ((await until((text) => text.includes(words) || asks(text))).includes(words)) return asked;
        press(...yes);
        await until((text) => text.includes(words) || !asks(text));
      }
    },
    async leave(): Promise<void> {
      press("C-d");
      while (isOpen()) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    },
  };
}
