// A client in front of a person: in tmux, where its screen can be read and keys be typed.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_MS = 200;

export function openTerminal(argv, { env, work, log, limitMs }) {
  const name = `zeph-nb-${process.pid}-${Math.floor(performance.now())}`;
  const until = performance.now() + limitMs;
  const tmux = (...words) =>
    spawnSync("tmux", ["-L", name, "-f", "/dev/null", ...words], { cwd: work, env, encoding: "utf8", timeout: 10_000 });
  const started = tmux("new-session", "-d", "-x", "150", "-y", "50", "-c", work, ...argv);
  if (started.status !== 0) throw new Error(`tmux: ${started.stderr}`);
  const screen = () => tmux("capture-pane", "-p").stdout ?? "";
  return {
    screen,
    keys: (...keys) => tmux("send-keys", ...keys),
    type: (text) => tmux("send-keys", "-l", text),
    /** Looks until the screen shows it, or something else is true. Returns what it showed, or null when the time is over. */
    async until(shown, isOver = () => false) {
      while (performance.now() < until && !isOver()) {
        const text = screen();
        if (shown.test(text)) return text;
        await sleep(LOOK_MS);
      }
      return null;
    },
    /** Until the screen stands still: a key that comes while it is being drawn may be lost. */
    async still() {
      for (let before = screen(); performance.now() < until; ) {
        await sleep(3 * LOOK_MS);
        const now = screen();
        if (now === before) return now;
        before = now;
      }
      return null;
    },
    close() {
      if (log) writeFileSync(log, screen());
      tmux("kill-server");
    },
  };
}
