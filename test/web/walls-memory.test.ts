import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";

/** In a process of its own, so that only the reading side is measured. */
const SERVER = `
const { createServer } = require("node:net");
const { createGzip } = require("node:zlib");
const MB = 1024 * 1024;
const flood = (socket, total, chunk) => {
  let left = total;
  const more = () => {
    while (left > 0 && !socket.destroyed) {
      const part = chunk.subarray(0, Math.min(left, chunk.length));
      left -= part.length;
      if (!socket.write(part)) return;
    }
    if (left <= 0) socket.end();
  };
  socket.on("drain", more);
  more();
};
const zeros = Buffer.alloc(MB);
const length = (n) => "HTTP/1.1 200 OK\\r\\ncontent-length: " + n + "\\r\\n\\r\\n";
const SAY = {
  "/small": (socket) => { socket.write(length(MB)); flood(socket, MB, zeros); },
  "/huge": (socket) => { socket.write(length(1024 * MB)); flood(socket, 1024 * MB, zeros); },
  "/bits": (socket) => {
    socket.write("HTTP/1.1 200 OK\\r\\ntransfer-encoding: chunked\\r\\n\\r\\n");
    flood(socket, 1024 * MB, Buffer.from("1\\r\\nx\\r\\n".repeat(20000)));
  },
  "/bomb": (socket) => {
    socket.write("HTTP/1.1 200 OK\\r\\ncontent-encoding: gzip\\r\\nconnection: close\\r\\n\\r\\n");
    const gzip = createGzip({ level: 9 });
    gzip.pipe(socket);
    flood(gzip, 10 * 1024 * MB, zeros);
  },
};
const server = createServer((socket) => {
  socket.on("error", () => {});
  socket.once("data", (head) => SAY[/^GET (\\S+)/.exec(head)[1]](socket));
}).listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

/** One page in a fresh process: how long its text is, and how many megabytes the process took at most. */
const READER = `
const { connect } = require("node:net");
const { createLocalWeb } = require("./web.cjs");
const [port, url] = process.argv.slice(2);
const web = createLocalWeb({
  config: { timeout: 60, max_body_bytes: 1024 * 1024, allowed_domains: [], denied_domains: [], ports: [443] },
  cache: { enabled: false, ttlSecs: 0 },
  wires: { lookup: async () => ["8.8.8.8"], dial: async () => connect(Number(port), "127.0.0.1") },
  onEgress() {},
  reader: { page: async (body) => ({ title: null, text: String(body.length) }) },
});
const permit = { call: { touches: [{ kind: "url", url }] } };
web.page(permit, url, "text", { signal: new AbortController().signal }).then(({ text, truncated }) => {
  console.log(JSON.stringify({ length: Number(text), truncated, megabytes: process.resourceUsage().maxRSS / 1024 }));
});
`;

const folder = mkdtempSync(join(tmpdir(), "zeph-memory-"));
let child: ChildProcess;
let port = 0;
beforeAll(async () => {
  await build({
    entryPoints: ["src/host/web/web.ts"],
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile: join(folder, "web.cjs"),
    logLevel: "error",
  });
  await build({ stdin: { contents: READER }, platform: "node", format: "cjs", outfile: join(folder, "reader.cjs"), logLevel: "error" });
  child = spawn(process.execPath, ["-e", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  port = await new Promise<number>((resolve) => child.stdout!.once("data", (line) => resolve(Number(line))));
});
afterAll(() => {
  child.kill();
  rmSync(folder, { recursive: true, force: true });
});

interface Read {
  readonly length: number;
  readonly truncated: boolean;
  readonly megabytes: number;
}
const read = (name: string): Read =>
  JSON.parse(execFileSync(process.execPath, [join(folder, "reader.cjs"), String(port), `https://a.test/${name}`], { encoding: "utf8" }));

it.each([
  ["a gigabyte", "huge", 32],
  ["ten gigabytes in ten megabytes", "bomb", 32],
  // A million chunks leave that much for the collector; nothing of it is kept.
  ["a body of one byte a chunk", "bits", 64],
])("%s costs little more than a page of a megabyte", (_name, path, most) => {
  const usual = read("small");
  expect(usual).toMatchObject({ length: 1024 * 1024, truncated: false });
  const large = read(path);
  expect(large).toMatchObject({ length: 1024 * 1024, truncated: true });
  if (process.env.ROUNDS)
    console.log(path, `${(large.megabytes - usual.megabytes).toFixed(1)} MB more than ${usual.megabytes.toFixed(1)} MB`);
  expect(large.megabytes - usual.megabytes).toBeLessThan(most);
});
