#!/usr/bin/env node
// Stands in for a program that fetches a package and runs it: the package is a server that tells what could be seen while it was fetched.
const fs = require("node:fs");
const { createInterface } = require("node:readline");

const { HOME, TOKEN, npm_config_cache: cache, npm_config_offline: offline, https_proxy: proxy } = process.env;
const [, , secret, wish] = process.argv;
const look = () => ({ secret: fs.existsSync(secret), token: TOKEN ?? null, offline: offline === "true", proxy: proxy !== undefined });
const record = `${cache}/fetched.json`;

if (wish === "missing") fail("npm error code E404\nnpm error 404 Not Found - nobody/knows\n");
if (!fs.existsSync(record)) {
  if (offline === "true")
    fail("npm error code ENOTCACHED\nnpm error request to https://registry.example/small failed: cache mode is 'only-if-cached'\n");
  if (wish === "slow") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);
  fs.mkdirSync(cache, { recursive: true });
  fs.writeFileSync(record, JSON.stringify({ ...look(), left: fs.existsSync(`${cache}/left`), home: fs.existsSync(`${HOME}/notes`) }));
}
if (wish === "needs-token" && TOKEN === undefined) fail("Error: TOKEN is not set\n");
serve();

function fail(words) {
  fs.writeSync(2, words);
  process.exit(1);
}

function serve() {
  const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const said = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] });
  const tools = {
    seen: () => said({ before: JSON.parse(fs.readFileSync(record, "utf8")), now: look() }),
    leave: () => said(fs.writeFileSync(`${cache}/left`, "x") ?? "left"),
    remember: ({ text }) => {
      fs.appendFileSync(`${HOME}/notes`, `${text}\n`);
      return said(fs.readFileSync(`${HOME}/notes`, "utf8").trim().split("\n"));
    },
    look: ({ text }) => said({ there: fs.existsSync(text), mode: fs.statSync(HOME).mode & 0o777, home: HOME }),
    reach: ({ text }) => ({ ...said(`could not: ${text}`), isError: true }),
  };
  const input = { type: "object", properties: { text: { type: "string" } } };
  const answers = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "small", version: "1" } }),
    "tools/list": () => ({ tools: Object.keys(tools).map((name) => ({ name, description: name, inputSchema: input })) }),
    "tools/call": ({ name, arguments: given }) => tools[name](given ?? {}),
  };
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (answers[method]) send({ id, result: answers[method](params) });
    else send({ id, error: { code: -32601, message: "Method not found" } });
  });
}
