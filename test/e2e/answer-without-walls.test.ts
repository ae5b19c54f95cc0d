import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { startClient } from "../live/orphan-client.ts";
import { available } from "../sandbox/support.ts";
import { calls, says, scripted } from "./scripted.ts";
import { hasTmux } from "./tmux.ts";
import { BIN, type Box, box, ended } from "./zeph.ts";

const WRITE = calls("write", { path: "new.txt", content: "hello\n" });
const isWritten = (here: Box) => existsSync(join(here.cwd, "new.txt"));
const live = (here: Box) => join(here.env.XDG_STATE_HOME!, "zeph", "live");
const textOf = (here: Box, name: string) => (existsSync(join(here.cwd, name)) ? readFileSync(join(here.cwd, name), "utf8") : "");
const ALLOWED = '[[tools.permissions.bash]]\npattern = "*"\naction = "allow"\n';
const OPEN = `[tools.sandbox]\nenabled = false\n${ALLOWED}`;
const REFUSED = /is an agent that runs commands without walls, and one of them could do this in your place/;

/** A run whose agent has run a command, and asks now whether it may write a file. It waits for an answer from elsewhere. */
async function asking(here: Box, settings: string, command = "echo started") {
  scripted(here, [[calls("bash", { command })], [WRITE], [says("Done.")]], settings);
  const run = here.start(["run", "--wait-for-answer", "--json", "go"]);
  const end = ended(run);
  const lines: any[] = [];
  createInterface({ input: run.stdout }).on("line", (line) => lines.push(JSON.parse(line)));
  await expect.poll(() => lines.find(({ type }) => type === "question")).toBeDefined();
  const id: string = lines.find(({ type }) => type === "question").call_id;
  return { run, end, id };
}

describe.skipIf(process.platform !== "linux")("while an agent runs commands without walls", () => {
  const refuses = async (here: Box, pid: number | undefined, commands: readonly (readonly string[])[]) => {
    const all = await Promise.all(commands.map((args) => here.runProcess(args)));
    expect(all.map(({ code, stdout }, n) => [commands[n], code, stdout])).toEqual(commands.map((args) => [args, 2, ""]));
    for (const { stderr } of all) {
      expect(stderr).toMatch(REFUSED);
      expect(stderr).toContain(`Process ${pid} `);
    }
  };

  // Each command is a process of its own, and a machine may be slow.
  it("nobody answers its question, or decides anything else, from a process that is younger than it", { timeout: 60_000 }, async () => {
    const here = box();
    here.write(".zeph/config.toml", 'autonomy = "full"\n');
    const { run, end, id } = await asking(here, OPEN);
    await refuses(here, run.pid, [["answer", id, "once"], ["trust"], ["watch", "--answer", "--no-open", "--json"]]);
    // It may be looked at.
    expect((await here.runProcess(["answer", "--json"])).stdout).toContain(id);
    expect(isWritten(here)).toBe(false);
    run.kill("SIGTERM");
    await end;
    expect(readdirSync(live(here))).toEqual([]);
    expect((await here.runProcess(["trust"])).code).toBe(0);
  });

  it("nor vouches for a skill, or changes what holds other agents", { timeout: 60_000 }, async () => {
    const here = box();
    const { run } = await asking(here, OPEN);
    await refuses(here, run.pid, [
      ["skills", "trust", "any"],
      ["fleet", "approve", "abcd1234", "--store", "postgres://nobody@127.0.0.1:1/none"],
      ["hook", "remove", "claude"],
      ["hook", "install", "claude", "--yes"],
      ["hook", "approve", "ffffffff"],
    ]);
  });

  it("its socket takes no answer from such a process either, whatever that one has not asked before", async () => {
    const here = box();
    const { run, id } = await asking(here, OPEN);
    const client = startClient(join(live(here), `${run.pid}.sock`), live(here));
    expect((await client.hears("hello")).questions).toMatchObject([{ call_id: id }]);
    client.says({ answer: "once", call_id: id, by: "maria" });
    expect((await client.hears("answer_refused")).why).toContain("This agent runs commands without walls");
    expect(isWritten(here)).toBe(false);
  });

  it("a page that was opened before it takes the answer", async () => {
    const here = box();
    const watch = here.start(["watch", "--json", "--answer", "--no-open"]);
    const [line] = (await once(watch.stdout, "data")) as [Buffer];
    const { address, link } = JSON.parse(String(line)) as { address: string; link: string };
    const { end, id } = await asking(here, OPEN);
    const post = (path: string, form: Record<string, string>, cookie = "") =>
      fetch(`${address}${path}`, {
        method: "POST",
        redirect: "manual",
        headers: { origin: address, cookie, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(form).toString(),
      });
    const cookie = (await post("/enter", { token: link.split("#t=")[1]! })).headers.get("set-cookie")!.split(";")[0]!;
    const shown = async () => (await fetch(`${address}/`, { headers: { cookie } })).text();
    await expect.poll(shown).toContain('action="/answer"');
    const mark = /name="mark" value="([\w-]+)"/.exec(await shown())![1]!;
    expect((await post("/answer", { call: id, mark, answer: "once" }, cookie)).status).toBe(303);
    expect((await end).code).toBe(0);
    expect(isWritten(here)).toBe(true);
  });

  it("a note that a killed process left refuses nobody, also where its pid belongs to another process now", async () => {
    const here = box();
    here.write(".zeph/config.toml", 'autonomy = "full"\n');
    const { run, end } = await asking(here, OPEN);
    run.kill("SIGKILL");
    await end;
    expect(readdirSync(live(here))).toContain(`${run.pid}.no-walls`);
    writeFileSync(join(live(here), `${process.pid}.no-walls`), "1");
    expect((await here.runProcess(["trust"])).code).toBe(0);
    expect(readdirSync(live(here)).filter((name) => name.endsWith(".no-walls"))).toEqual([]);
  });

  /** Answers the question that is open, and vouches for the project, with nothing but what it knows of the person. */
  const answering = (here: Box, first = "") => {
    const folders = Object.entries(here.env).map(([name, value]) => `${name}='${value}'`);
    return here.write(
      "attack.sh",
      `exec > attack.log 2>&1
${first}
run() { env -i ${folders.join(" ")} '${process.execPath}' '${BIN}' "$@" < /dev/null; }
while [ -z "$id" ]; do id=$(run answer --json --all | grep -o '"call_id":"[^"]*"' | head -1 | cut -d'"' -f4); done
run answer "$id" once
run trust
echo over
`,
    );
  };

  it("a command that has killed what watches it, and belongs to nobody, neither answers nor vouches", async () => {
    const here = box();
    here.write(".zeph/config.toml", 'autonomy = "full"\n');
    const orphan = `parent() { cut -d' ' -f4 "/proc/$1/stat"; }
w=$(parent $$); l=$(parent "$w")
kill -STOP "$l" "$w"; kill -9 "$l" "$w"
while [ "$(parent $$)" = "$w" ]; do sleep 0.02; done`;
    const { run, end } = await asking(here, OPEN, `(setsid nohup sh ${answering(here, orphan)} > /dev/null 2>&1 &); sleep 0.5`);
    await expect.poll(() => textOf(here, "attack.log")).toContain("over");
    expect(textOf(here, "attack.log").match(/^zeph (?:answer|trust) .*$/gm)).toEqual([
      expect.stringMatching(REFUSED),
      expect.stringMatching(REFUSED),
    ]);
    run.kill("SIGTERM");
    await end;
    expect(isWritten(here)).toBe(false);
  });

  it.skipIf(!hasTmux)("a window that a command has opened in a person's tmux neither answers nor vouches", async () => {
    const here = box();
    here.write(".zeph/config.toml", 'autonomy = "full"\n');
    const tmux = (...words: string[]) => execFileSync("tmux", ["-S", join(here.root, "tmux.sock"), "-f", "/dev/null", ...words], here);
    tmux("new-session", "-d", "cat");
    onTestFinished(() => void tmux("kill-server"));
    const command = `tmux -S ${join(here.root, "tmux.sock")} new-window -d -c '${here.cwd}' 'sh ${answering(here)}'`;
    const { run, end } = await asking(here, OPEN, command);
    await expect.poll(() => textOf(here, "attack.log")).toContain("over");
    expect(textOf(here, "attack.log").match(/^zeph (?:answer|trust) .*$/gm)).toEqual([
      expect.stringMatching(REFUSED),
      expect.stringMatching(REFUSED),
    ]);
    run.kill("SIGTERM");
    await end;
    expect(isWritten(here)).toBe(false);
  });

  it.skipIf(!hasTmux)("a command that has a person's older tmux hold the proof, and names it, answers nothing", async () => {
    const here = box();
    const socket = join(here.root, "tmux.sock");
    const tmux = (...words: string[]) => execFileSync("tmux", ["-S", socket, "-f", "/dev/null", ...words], { ...here, encoding: "utf8" });
    tmux("new-session", "-d", "cat");
    onTestFinished(() => void tmux("kill-server"));
    const older = tmux("display-message", "-p", "#{pid}").trim();
    const attack = [process.execPath, resolve("test/live/borrow-proof.mjs"), live(here), socket, older]
      .map((word) => `'${word}'`)
      .join(" ");
    const command = `tmux -S ${socket} new-window -d -c '${here.cwd}' "${attack} > attack.log 2>&1"`;
    const { run, end } = await asking(here, OPEN, command);
    await expect.poll(() => textOf(here, "attack.log"), { timeout: 20_000 }).toContain("over");
    expect(textOf(here, "attack.log")).toContain("tmux holds it: true");
    expect(textOf(here, "attack.log")).toContain('"type":"refused"');
    run.kill("SIGTERM");
    await end;
    expect(isWritten(here)).toBe(false);
  });
});

it.skipIf(!available || process.platform !== "linux")("while commands have walls, a person answers from anywhere", async () => {
  const here = box();
  const { end, id } = await asking(here, ALLOWED);
  expect(await here.runProcess(["answer", id, "once", "--by", "maria"])).toMatchObject({ code: 0 });
  expect((await end).code).toBe(0);
  expect(isWritten(here)).toBe(true);
});
