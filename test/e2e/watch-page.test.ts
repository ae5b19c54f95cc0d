import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { browserCommand } from "../../src/front/cli/watch/open-browser.ts";
import { calls, says, scripted } from "./scripted.ts";
import { type Box, box, ended, jsonLines } from "./zeph.ts";

interface Said {
  readonly status: number;
  readonly cookie: string;
  readonly text: string;
}

function ask(
  address: string,
  { method = "GET", path, headers = {}, body }: { method?: string; path: string; headers?: Record<string, string>; body?: string },
): Promise<Said> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const asked = request({ hostname, port, path, method, headers, agent: false }, async (answer) => {
      let text = "";
      for await (const piece of answer.setEncoding("utf8")) text += piece;
      resolve({ status: answer.statusCode!, cookie: answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "", text });
    });
    asked.on("error", reject).end(body);
  });
}

const logOf = (here: Box) => jsonLines(readFileSync(join(here.env.XDG_STATE_HOME!, "zeph", "audit.jsonl"), "utf8"));

it("zeph watch serves its page from the log until Ctrl-C, and notes who came in", async () => {
  const here = box();
  await here.runProcess(["call", "bash", '{"command":"sudo ls"}']);
  const child = here.start(["watch", "--json", "--answer"]);
  const end = ended(child);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { address, link, answer } = JSON.parse(String(line));
  expect(answer).toBe(true);
  expect(link).toMatch(/^http:\/\/127\.[\d.]+:\d+\/#t=[\w-]{43}$/);
  const entered = await ask(address, {
    method: "POST",
    path: "/enter",
    headers: { origin: address, "content-type": "application/x-www-form-urlencoded", accept: "text/html" },
    body: `token=${link.split("#t=")[1]}`,
  });
  expect(entered.status).toBe(303);
  const page = await ask(address, { path: "/", headers: { cookie: entered.cookie } });
  expect(page.status).toBe(200);
  expect(page.text).toContain("sudo ls");
  expect(page.text).toContain("\u25d0");
  expect((await ask(address, { path: "/" })).text).not.toContain("sudo ls");
  child.kill("SIGINT");
  expect((await end).code).toBe(0);
  const notes = logOf(here).filter(({ kind }) => kind === "note");
  expect(notes.map(({ note }) => note)).toContainEqual(expect.stringMatching(/^the page of zeph watch was opened by \S+$/));
  expect(JSON.stringify(notes)).not.toContain(link.split("#t=")[1]);
});

it("zeph watch shows the question of a process that was killed, and offers no answer that cannot count", async () => {
  const here = scripted(box(), [[calls("write", { path: "new.txt", content: "hello\n" })], [says("Done.")]]);
  const run = here.start(["run", "--wait-for-answer", "go"]);
  run.stdin.end();
  const end = ended(run);
  const open = async () => JSON.parse((await here.runProcess(["answer", "--json"])).stdout) as { call_id: string; pid?: number }[];
  await expect.poll(async () => (await open()).length, { interval: 200 }).toBe(1);
  run.kill("SIGKILL");
  await end;
  const child = here.start(["watch", "--json", "--answer"]);
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { address, link } = JSON.parse(String(line));
  const { cookie } = await ask(address, {
    method: "POST",
    path: "/enter",
    headers: { origin: address, "content-type": "application/x-www-form-urlencoded" },
    body: `token=${link.split("#t=")[1]}`,
  });
  const { text } = await ask(address, { path: "/", headers: { cookie } });
  expect(text).toContain("nobody waits for it now");
  expect(text).toMatch(/<code>zeph answer [0-9a-f]{8} once/);
  expect(text).not.toContain('action="/answer"');
});

it.each([
  [["watch", "--host", "0.0.0.0"], "--host"],
  [["watch", "--manage"], "--manage"],
  [["watch", "--once"], "--once is for --plain."],
  [["watch", "--plain", "--answer"], "--answer is for the page"],
  [["watch", "--plain", "--no-open"], "--no-open is for the page"],
  [["watch", "--port", "70000", "--no-open"], "--port 70000: it must be a whole number"],
  [["watch", "now"], "too many arguments"],
] as const)("zeph %j is refused with a word", async (args, word) => {
  const { code, stderr } = await box().run([...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(word);
});

it("a browser is opened only where one can be seen, and no shell reads the link", () => {
  expect(browserCommand("linux", {})).toBe(null);
  expect(browserCommand("linux", { DISPLAY: ":0" })).toEqual(["xdg-open"]);
  expect(browserCommand("linux", { WAYLAND_DISPLAY: "wayland-0" })).toEqual(["xdg-open"]);
  expect(browserCommand("darwin", {})).toEqual(["open"]);
  expect(browserCommand("win32", {})).toEqual(["rundll32", "url.dll,FileProtocolHandler"]);
});
