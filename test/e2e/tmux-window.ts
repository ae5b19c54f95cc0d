import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { BIN, type Box } from "./zeph.ts";

interface WindowOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Record<string, string>;
  /** What the shell runs before Zeph. */
  readonly before?: string;
}

/** A window of a real terminal with a shell in it, in which the command runs. */
export function tmuxWindow({ cwd, env }: Box, args = "", { columns = 100, rows = 30, env: more = {}, before = "" }: WindowOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "zeph-tmux-"));
  const socket = join(folder, "s");
  const tmux = (...words: readonly string[]): string =>
    execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...words], { encoding: "utf8", env: { ...env, ...more } });
  onTestFinished(() => {
    spawnSync("tmux", ["-S", socket, "kill-server"]);
    rmSync(folder, { recursive: true, force: true });
  });
  const size = ["-x", String(columns), "-y", String(rows)];
  tmux(
    "start-server",
    ";",
    "set",
    "-g",
    "history-limit",
    "20000",
    ";",
    "new-session",
    "-d",
    "-s",
    "t",
    ...size,
    "-c",
    cwd,
    "exec env PS1='$ ' sh",
  );
  const type = (text: string) => void tmux("send-keys", "-t", "t", "-l", text);
  const key = (...names: readonly string[]) => void tmux("send-keys", "-t", "t", ...names);
  const screen = () => tmux("capture-pane", "-p", "-t", "t");
  const see = (text: string) => expect.poll(screen, { interval: 50 }).toContain(text);
  type(`${before}'${process.execPath}' '${BIN}' ${args}`);
  key("Enter");
  return {
    type,
    key,
    /** What is in sight. */
    screen,
    /** That, and everything above it. */
    all: () => tmux("capture-pane", "-p", "-S", "-", "-t", "t"),
    /** Where the cursor is, and whether it is to be seen. */
    cursor: () => tmux("display", "-p", "-t", "t", "#{cursor_x},#{cursor_y},#{cursor_flag}").trim(),
    /** The modes of the terminal that the chat changes, as tmux knows them. */
    modes: () => tmux("display", "-p", "-t", "t", "#{alternate_on} #{cursor_flag}").trim(),
    pasteText(text: string) {
      tmux("set-buffer", text);
      tmux("paste-buffer", "-p", "-t", "t");
    },
    resize: (width: number, height: number) => void tmux("resize-window", "-t", "t", "-x", String(width), "-y", String(height)),
    see,
    /** The shell waits for a command again. */
    seeShell: () => expect.poll(() => screen().trimEnd().endsWith("\n$"), { interval: 50 }).toBe(true),
    /** The process of the shell in the window. */
    shell: () => Number(tmux("display", "-p", "-t", "t", "#{pane_pid}").trim()),
  };
}
