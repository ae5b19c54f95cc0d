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
  /** How long hands must rest before a key answers. */
  readonly restMs: number;
  /** The words that show that a key came too early, and the keys that take it back. */
  readonly early?: { readonly words: RegExp; readonly keys: readonly string[] };
}

export const PLAIN: ChatLook = {
  settings: '[ui]\nscreen = "plain"\n',
  ready: /^you> *$/m,
  question: /Allow it\? .*: *$/,
  yes: ["y", "Enter"],
  restMs: 0,
};

export const SCREEN: ChatLook = {
  settings: "",
  ready: /what shall be done\?/,
  question: /\[y\] once/,
  yes: ["y"],
  restMs: 1500,
  early: { words: /\[Tab\] to answer/, keys: ["C-u", "Tab"] },
};

const EVERY_MS = 100;
const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The command in a window of tmux, as a person sees it. */
export function openTmux({ root, cwd, env }: Box, { ready, question, yes, restMs, early }: ChatLook) {
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
      await rest(EVERY_MS);
    }
  };
  const asks = (text: string) => question.test(text.trimEnd());
  const isEarly = (text: string) => early?.words.test(text) ?? false;
  return {
    ready: () => until((text) => ready.test(text)),
    say(text: string) {
      tmux("send-keys", "-t", "zeph", "-l", text);
      press("Enter");
    },
    /** Answers every question with yes until these words are on the screen. Returns how many there were. */
    async agreeUntil(words: string): Promise<number> {
      for (let asked = 0; ; asked++) {
        if ((await until((text) => text.includes(words) || asks(text) || isEarly(text))).includes(words)) return asked;
        if (isEarly(shown())) press(...early!.keys);
        await rest(restMs);
        press(...yes);
        await until((text) => text.includes(words) || !asks(text));
      }
    },
    async leave(): Promise<void> {
      press("C-d");
      while (isOpen()) await rest(EVERY_MS);
    },
  };
}
