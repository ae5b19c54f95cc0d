import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { browser } from "./walls-browse.ts";

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
let child: ChildProcess;
let port = 0;
beforeAll(async () => {
  child = spawn(process.execPath, ["-e", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  port = await new Promise<number>((resolve) => child.stdout!.once("data", (line) => resolve(Number(line))));
});
afterAll(() => void child.kill());

const by = browser({ wires: { lookup: async () => ["8.8.8.8"], dial: async () => connect(port, "127.0.0.1") } });
const page = async (name: string) => {
  const { text, ...rest } = await by.page(`https://a.test/${name}`);
  return { ...rest, length: text.length };
};

/** How large this process gets, in megabytes, while a page is asked for five times. */
async function size(name: string): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 1);
  for (let i = 0; i < 5; i++) await page(name);
  clearInterval(timer);
  return Math.max(peak, process.memoryUsage().rss) / 1024 / 1024;
}

it("a gigabyte, a bomb or a body in bits costs no more than a page", { timeout: 60_000 }, async () => {
  for (let i = 0; i < 10; i++) expect(await page("small")).toMatchObject({ truncated: false, length: 1024 * 1024 });
  const usual = await size("small");
  for (const name of ["huge", "bits", "bomb"]) {
    expect(await page(name)).toMatchObject({ truncated: true, length: 1024 * 1024 });
    const more = (await size(name)) - usual;
    if (process.env.ROUNDS) console.log(name, `${more.toFixed(1)} MB more than a page of 1 MB (${usual.toFixed(0)} MB)`);
    expect(more).toBeLessThan(32);
  }
});
