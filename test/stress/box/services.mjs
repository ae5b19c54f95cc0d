// What listens on a developer's machine and is nobody's business behind the walls. Whoever connects is told the canary.
//   services.mjs CANARY FILE...     each FILE a unix socket (a leading @: an abstract one), or ADDRESS:PORT; udp:ADDRESS:PORT answers datagrams.
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { chmodSync, rmSync } from "node:fs";
import { createServer } from "node:net";

const [canary, ...places] = process.argv.slice(2);
/** An HTTP answer, so that any client shows it. `open:` is a server that may be reached: it tells nothing. */
const answer = (text) => `HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Length: ${text.length}\r\n\r\n${text}`;

for (const place of places) {
  const isOpen = place.startsWith("open:");
  const where = isOpen ? place.slice(5) : place;
  const address = /^(?:udp:)?(.*):(\d+)$/.exec(where);
  if (where.startsWith("udp:")) {
    const socket = createSocket("udp4");
    socket.on("message", (_, from) => socket.send(canary, from.port, from.address)).bind(Number(address[2]), address[1]);
    continue;
  }
  const server = createServer((socket) => {
    socket.on("error", () => {});
    if (isOpen) socket.once("data", () => socket.end(answer("nothing to see")));
    else socket.end(answer(`${canary}\n`));
  });
  if (address) server.listen(Number(address[2]), address[1]);
  else if (where.startsWith("@")) {
    await listenAbstract(where.slice(1));
    continue;
  } else {
    rmSync(where, { force: true });
    server.listen(where, () => chmodSync(where, 0o666));
  }
  await new Promise((resolve, reject) => server.once("listening", resolve).once("error", reject));
}
/** By Python: Node gives such a socket a name as long as its buffer, which nobody else finds. */
async function listenAbstract(name) {
  const text = `import socket\ns = socket.socket(socket.AF_UNIX); s.bind("\\0${name}"); s.listen(); print("listening", flush=True)\nwhile True: c, _ = s.accept(); c.sendall(b"${canary}"); c.close()`;
  const child = spawn("python3", ["-c", text], { stdio: ["ignore", "pipe", "ignore"] });
  process.on("exit", () => child.kill());
  await new Promise((resolve) => child.stdout.once("data", resolve));
}

process.stdout.write("listening\n");
process.on("SIGTERM", () => process.exit());
process.stdin.on("end", () => process.exit()).resume();
