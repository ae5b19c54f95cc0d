import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { box } from "./zeph.ts";

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A model of OpenAI's chat interface that says one word; what it was asked is kept. */
function answering(asked: string[]) {
  return (request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host} ${request.headers.authorization ?? "no key"}`);
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = {
      id: "1",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta: { content: "Hello." }, finish_reason: "stop" }],
    };
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  };
}

/** A proxy that knows one name, and leads it to a port of this machine. */
async function proxyTo(port: () => number): Promise<{ readonly address: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const asked: string[] = [];
    answering(asked)(request, response);
    seen.push(...asked.map((line) => line.split(" ").slice(2).join(" ")));
  });
  server.on("connect", (request, socket) => {
    seen.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    const to = connect(port(), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      to.pipe(socket).pipe(to);
    });
    for (const one of [to, socket]) one.on("error", () => {});
  });
  return { address: `http://u:p@127.0.0.1:${await listening(server)}`, seen };
}

const PROVIDER = '[[llm.providers]]\nname = "mine"\ntype = "openai"\napi = "chat"\nmodel = "m"\n';
const KEY = { OPENAI_API_KEY: "sk-person-000" };

describe("requests to a model", () => {
  it("go where OPENAI_BASE_URL leads, through the person's proxy; an unencrypted one is handed to it as it is", async () => {
    const proxy = await proxyTo(() => 1);
    const here = box();
    here.config(PROVIDER);
    const env = { ...KEY, OPENAI_BASE_URL: "http://model.example/v1/", HTTP_PROXY: proxy.address };
    expect(await here.run(["run", "go"], { env })).toMatchObject({ code: 0, stdout: "Hello.\n" });
    expect(proxy.seen).toEqual(["POST http://model.example/v1/chat/completions", "model.example Bearer sk-person-000"]);
  });

  it("go through a tunnel where they are encrypted, so that the proxy does not see the key", async () => {
    const here = box();
    const [key, certificate] = [join(here.root, "key.pem"), join(here.root, "cert.pem")];
    execFileSync(
      "openssl",
      [
        ..."req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=model.example -addext subjectAltName=DNS:model.example".split(" "),
        "-keyout",
        key,
        "-out",
        certificate,
      ],
      { stdio: "ignore" },
    );
    const asked: string[] = [];
    const port = await listening(createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, answering(asked)));
    const proxy = await proxyTo(() => port);
    here.config(PROVIDER);
    const env = { ...KEY, OPENAI_BASE_URL: "https://model.example/v1", https_proxy: proxy.address, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    expect(await here.run(["run", "go"], { env })).toMatchObject({ code: 0, stdout: "Hello.\n" });
    expect(proxy.seen).toEqual(["CONNECT model.example:443 Basic dTpw"]);
    expect(asked).toEqual(["POST /v1/chat/completions model.example Bearer sk-person-000"]);
  });

  it("go directly to what NO_PROXY names and to this machine, and a configured base_url wins over the variable", async () => {
    const asked: string[] = [];
    const port = await listening(createServer(answering(asked)));
    const here = box();
    here.config(`${PROVIDER}base_url = "http://127.0.0.1:${port}/v1"\n`);
    const env = { ...KEY, OPENAI_BASE_URL: "http://model.example/v1", HTTP_PROXY: "http://127.0.0.1:1" };
    expect(await here.run(["run", "go"], { env })).toMatchObject({ code: 0, stdout: "Hello.\n" });
    expect(asked).toHaveLength(1);
  });

  it("are not led elsewhere by a project's .env", async () => {
    const asked: string[] = [];
    const port = await listening(createServer(answering(asked)));
    const here = box();
    here.config(PROVIDER);
    here.write(".env", `OPENAI_BASE_URL=http://127.0.0.1:${port}/v1\nHTTPS_PROXY=http://127.0.0.1:${port}\n`);
    // A name that nobody knows, so that nothing leaves this machine.
    const { code } = await here.run(["run", "go"], { env: { ...KEY, OPENAI_BASE_URL: "http://127.0.0.1:1/v1" } });
    expect([code === 0, asked]).toEqual([false, []]);
  });
});

describe("zeph doctor about models", () => {
  it("names the address that a key goes to and tries it without the key", async () => {
    const asked: string[] = [];
    const port = await listening(createServer(answering(asked)));
    const here = box();
    const env = { ...KEY, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const { stdout } = await here.run(["doctor", "--json", "--online"], { env });
    expect(JSON.parse(stdout).models).toEqual([
      {
        provider: "openai",
        address: `http://127.0.0.1:${port}/v1`,
        from: "OPENAI_BASE_URL",
        key: { name: "OPENAI_API_KEY", found: true },
        proxy: null,
        answers: true,
        detail: "answers (200)",
      },
    ]);
    // The addresses are asked without the key, and the model that a chat would use with it.
    expect(asked.sort()).toEqual([`GET /v1/models 127.0.0.1:${port} Bearer sk-person-000`, `GET /v1/models 127.0.0.1:${port} no key`]);
    expect(stdout).not.toContain("sk-person");
  });

  it("says that nobody answers, and through which proxy it asked", async () => {
    const here = box();
    here.config(`${PROVIDER}base_url = "http://model.example/v1"\n`);
    const { stdout } = await here.run(["doctor", "--online"], { env: { HTTP_PROXY: "http://u:secret@127.0.0.1:1" } });
    expect(stdout).toContain(
      "Models, and where their keys go:\n  mine: no key found in OPENAI_API_KEY, http://model.example/v1 (base_url), through the proxy 127.0.0.1:1: NOT REACHED, nobody answers (ECONNREFUSED)\n",
    );
    expect(stdout).not.toContain("secret");
  });
});
