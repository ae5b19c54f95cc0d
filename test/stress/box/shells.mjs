// Two ways to run the commands of a row: as the person would in a shell, and as an agent does, through `zeph call`.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { quote, runScript } from "./box.mjs";

const LONGEST_MS = 45_000;

/** Each step is a shell of its own, with everything the person has. */
export function openBareShell(box, { cwd, before = "", who = "dev", seconds }) {
  const left = [];
  return {
    async step({ cmd, background }) {
      const script = `cd ${quote(cwd)} || exit 99\n${before}\n${cmd}`;
      if (!background) {
        const { text, code } = await runScript(box.becoming(who), script, { seconds });
        return { text, ran: true, ok: code === 0, exit: code };
      }
      const [file, ...args] = box.becoming(who);
      left.push(spawn(file, [...args, "/bin/bash", "-c", script], { stdio: "ignore", cwd: "/", detached: true }));
      return { text: "", ran: true };
    },
    killHelpers() {},
    async close() {
      for (const { pid } of left) endGroup(pid);
    },
  };
}

/** One session of Zeph: a batch whose lines are written one after the other. Every question is answered with yes, unless `answers` says no. */
export function openZephShell(box, { cwd, before = "", who = "dev", set = [], answers = "--yes" }) {
  const [file, ...args] = box.becoming(who);
  const settings = set.map((one) => `--set ${quote(one)}`).join(" ");
  const script = `cd ${quote(cwd)} || exit 99\n${before}\nexec ${box.places.zeph} ${settings} call --batch ${answers}`;
  const child = spawn(file, [...args, "/bin/bash", "-c", script], { stdio: ["pipe", "pipe", "pipe"], cwd: "/" });
  child.stdin.on("error", () => {});
  const waiting = [];
  let [rest, complaints] = ["", ""];
  child.stdout.on("data", (chunk) => {
    rest += chunk;
    for (let at = rest.indexOf("\n"); at !== -1; at = rest.indexOf("\n")) {
      waiting.shift()?.(rest.slice(0, at));
      rest = rest.slice(at + 1);
    }
  });
  child.stderr.on("data", (chunk) => (complaints = (complaints + chunk).slice(-20_000)));
  const ended = new Promise((done) => child.on("close", done));
  void ended.then(() => {
    for (const tell of waiting.splice(0)) tell("");
  });
  const line = () =>
    new Promise((done) => {
      waiting.push(done);
      setTimeout(() => done("late"), LONGEST_MS).unref();
    });
  let count = 0;
  return {
    async step({ cmd, background, timeout }) {
      const mark = `ran-${++count}`;
      const answer = line();
      const input = { command: background ? cmd : `echo ${mark}\n${cmd}`, ...(background && { background }), ...(timeout && { timeout }) };
      child.stdin.write(`${JSON.stringify({ id: count, tool: "bash", args: input })}\n`);
      return readAnswer(await answer, { mark, background, complaints });
    },
    killHelpers() {
      for (const pid of helpersOf(child.pid)) end(pid);
    },
    async close() {
      child.stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(late);
    },
  };
}

/** What a model would read, and what is known besides: whether the command was run, what was asked, how it ended. */
function readAnswer(line, { mark, background, complaints }) {
  if (line === "" || line === "late") return { text: `${line}\n${complaints}`, ran: false, ok: false };
  const answer = JSON.parse(line);
  const text = [answer.text, answer.hint, ...(answer.notes ?? []), answer.error?.message].filter(Boolean).join("\n");
  const refused =
    answer.decision?.verdict === "deny" ||
    answer.error?.category === "policy_blocked" ||
    /^The command could not be started/.test(answer.error?.message ?? "");
  return {
    text: text.replace(`${mark}\n`, ""),
    ran: refused || background === true || text.includes(mark),
    refused,
    asked: answer.error?.category === "confirmation_required",
    ok: answer.ok && (answer.exit_code ?? 0) === 0,
    exit: answer.exit_code,
    ms: answer.duration_ms,
  };
}

/** Everything that a session started, but not the session itself. */
function helpersOf(pid) {
  const parents = new Map();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const [, , rest] = /^(\d+) \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      parents.set(Number(name), Number(rest));
    } catch {}
  }
  const below = (one) => [...parents].flatMap(([child, parent]) => (parent === one ? [child, ...below(child)] : []));
  const isSession = (one) => /zeph\.cjs/.test(commandLine(one)) && !/bwrap/.test(commandLine(one));
  const session = [pid, ...below(pid)].filter(isSession).at(-1);
  return session === undefined ? [] : below(session);
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

const endGroup = (pid) => end(-pid);

/** It may be gone already: some end with others. */
function end(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch {}
}
