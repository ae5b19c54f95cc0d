import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { displayed } from "./display.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { type Box, box } from "./zeph.ts";

const NO_OLLAMA = { OLLAMA_HOST: "127.0.0.1:1" };
const KEY = "sk-ant-0123456789abcdefghij";
const [ESC, CTRL_C, CTRL_D] = ["\u001b", "\u0003", "\u0004"];

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const keyFile = ({ env }: Box) => join(env.XDG_CONFIG_HOME!, "zeph", "keys.toml");

/** Everything the box's own folders hold, as one text. */
const everythingIn = ({ root }: Box): string =>
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((name) => join(root, name))
    .filter((file) => !file.endsWith("keys.toml") && statSync(file).isFile())
    .map((file) => readFileSync(file, "latin1"))
    .join("\n");

describe.skipIf(!hasTerminal)("zeph without a key", () => {
  const open = (here: Box, env: Record<string, string> = {}) =>
    terminal(here, "--no-color", { columns: 200, env: { ...NO_OLLAMA, ...env } });

  it("explains what is missing, keeps a pasted key for its owner alone, and begins the chat; the key is nowhere else", async () => {
    const here = box();
    const tty = open(here);
    await tty.see("Zeph needs a model to talk with.");
    await tty.see("Which one? [1-8]: ");
    tty.type("1\r");
    await tty.see("it is not shown");
    tty.type(`\u001b[200~${KEY}\n\u001b[201~\r`);
    await tty.see("Try the key now?");
    tty.type("n\r");
    await tty.see("Kept as ANTHROPIC_API_KEY in");
    await tty.see("Zeph, with anthropic/");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    expect(readFileSync(keyFile(here), "utf8")).toBe(`ANTHROPIC_API_KEY = "${KEY}"\n`);
    expect(statSync(keyFile(here)).mode & 0o777).toBe(0o600);
    expect(tty.text()).not.toContain(KEY.slice(7, 15));
    expect(everythingIn(here)).not.toContain(KEY.slice(7, 15));
  });

  it.each([
    ["Esc", ESC],
    ["Ctrl-C", CTRL_C],
    ["Ctrl-D", CTRL_D],
  ])("leaves at %s, at the list and at the key, and changes nothing", async (_name, key) => {
    for (const before of ["", "2\r"]) {
      const here = box();
      const tty = open(here);
      await tty.see("Which one? [1-8]: ");
      tty.type(before);
      if (before !== "") await tty.see("it is not shown");
      tty.type(key!);
      expect((await tty.end).code).toBe(0);
      expect(existsSync(keyFile(here))).toBe(false);
      // Pastes are marked no longer, and the shell's prompt begins on a line of its own.
      expect(tty.text()).toContain("\u001b[?2004l");
      expect(displayed(tty.text(), 200).at(-1)).toBe("");
    }
  });

  it("tells a refused key, an address that is no provider and one where nobody is, and does not keep the refused key", async () => {
    const asked: string[] = [];
    const host = await listen(({ url, headers }, response) => {
      asked.push(`${url} ${headers["x-api-key"]}`);
      const isBad = headers["x-api-key"] === "sk-ant-refused-000";
      response.writeHead(isBad ? 401 : 200, { "content-type": "application/json" });
      response.end(isBad ? '{"error":"no"}' : '{"data":[{"id":"m"}]}');
    });
    const here = box();
    const tty = open(here, { ANTHROPIC_BASE_URL: `http://${host}/v1` });
    await tty.see("Which one? [1-8]: ");
    tty.type("anthropic\r");
    await tty.see("it is not shown");
    tty.type("sk-ant-refused-000\r");
    await tty.see("Try the key now?");
    tty.type("y\r");
    await tty.see(`${host} refuses this key (HTTP 401)`);
    await tty.see("it is not shown");
    expect(existsSync(keyFile(here))).toBe(false);
    tty.type(`${KEY}\r`);
    await tty.see("Try the key now?");
    tty.type("y\r");
    await tty.see("takes the key.");
    await tty.see("Zeph, with anthropic/");
    tty.type(CTRL_D);
    await tty.end;
    expect(asked).toEqual(["/v1/models sk-ant-refused-000", `/v1/models ${KEY}`]);

    const page = await listen((_request, response) => void response.writeHead(404).end("<html>"));
    const elsewhere = open(box(), { OPENAI_BASE_URL: `http://${page}` });
    await elsewhere.see("Which one?");
    elsewhere.type("2\r");
    await elsewhere.see("it is not shown");
    elsewhere.type("too short\r");
    await elsewhere.see("That is no key");
    await elsewhere.see("it is not shown");
    elsewhere.type(`${KEY}\r`);
    await elsewhere.see("It does not begin with sk-");
    elsewhere.type("y\r");
    await elsewhere.see("Try the key now?");
    elsewhere.type("y\r");
    await elsewhere.see("not as a provider of models does (HTTP 404)");
    await elsewhere.see("Keep it all the same?");
    elsewhere.type(ESC);
    await elsewhere.end;

    // A port that nothing listens on: fetch refuses the very low ones by itself.
    const nobody = open(box(), { GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:6499" });
    await nobody.see("Which one?");
    nobody.type("3\r");
    await nobody.see("it is not shown");
    nobody.type("AIza0123456789\r");
    await nobody.see("Try the key now?");
    nobody.type("y\r");
    await nobody.see("127.0.0.1:6499 cannot be reached: nothing listens there");
    await nobody.see("Keep it all the same?");
    nobody.type(CTRL_C);
    await nobody.end;
  });

  it("adds another address with the model that its server lists", async () => {
    const host = await listen((_request, response) => void response.end('{"data":[{"id":"one"},{"id":"two"}]}'));
    const here = box();
    const tty = open(here);
    await tty.see("Which one?");
    tty.type("5\r");
    await tty.see("Its address");
    tty.type(`http://${host}/v1/\r`);
    await tty.see("Does it want a key?");
    tty.type("\r");
    await tty.see("The model's name there");
    tty.type("\r");
    await tty.see("Which model?");
    tty.type("2\r");
    await tty.see("Zeph, with compatible/two at");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    expect(existsSync(keyFile(here))).toBe(false);
  });

  it("uses an Ollama that answers, and says what is missing where it has no model", async () => {
    let models: { name: string }[] = [];
    const host = await listen(({ url }, response) => void response.end(JSON.stringify(url === "/api/tags" ? { models } : { data: [] })));
    const tty = open(box(), { OLLAMA_HOST: host });
    await tty.see("Which one?");
    tty.type("ollama\r");
    await tty.see("it has no model yet");
    models = [{ name: "small:1b" }];
    await tty.see("Which one?");
    tty.type("6\r");
    await tty.see("Ollama answers, with small:1b.");
    await tty.see("Zeph, with ollama/small:1b");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
  });

  it("asks for the key of the provider that is configured, and opens the demo and the tool console", async () => {
    const here = box();
    here.config('[[llm.providers]]\nname = "work"\ntype = "openai"\nmodel = "m"\napi_key_env = "WORK_KEY"\n');
    const tty = open(here);
    await tty.see("work is configured, and its key WORK_KEY is missing.");
    await tty.see("Which one? [1-3]: ");
    tty.type("nonsense\r");
    await tty.see("a number from 1 to 3");
    await tty.see("Which one?");
    tty.type("console\r");
    await tty.see("Zeph tool console, without a model.");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    const demo = open(here);
    await demo.see("Which one? [1-3]: ");
    demo.type("2\r");
    await demo.see("Zeph demo");
    await demo.see("Go on");
    expect((await demo.end).code).toBe(0);
  });

  it("changes nothing for a terminal that cannot move its cursor", async () => {
    const tty = open(box(), { TERM: "dumb" });
    await tty.see("Zeph tool console, without a model.");
    tty.type(CTRL_D);
    expect((await tty.end).code).toBe(0);
    expect(tty.text()).not.toContain("Which one?");
  });
});
