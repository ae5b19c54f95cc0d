import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";

const NAMES = ["a.test", "b.test", "c.test", "d.test", "e.test", "shop.test", "*.shop.test"];

/** A certificate authority that lives as long as a test, and a certificate of it for a few names and 127.0.0.1. */
export function ownAuthority() {
  const folder = mkdtempSync(join(tmpdir(), "zeph-ca-"));
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: folder, stdio: "pipe" });
  try {
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Zeph test authority");
    openssl("req", ...key, "-keyout", "site.key", "-out", "site.csr", "-subj", "/CN=site");
    writeFileSync(at("san"), `subjectAltName=${NAMES.map((name) => `DNS:${name}`).join()},IP:127.0.0.1\n`);
    openssl(
      "x509",
      "-req",
      "-in",
      "site.csr",
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-out",
      "site.pem",
      "-days",
      "2",
      "-extfile",
      "san",
    );
    const text = (name: string) => readFileSync(at(name), "utf8");
    return { ca: text("ca.pem"), key: text("site.key"), cert: text("site.pem") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
export type Authority = ReturnType<typeof ownAuthority>;

export interface Site {
  readonly port: number;
  /** Dials this site whatever the address, and remembers what was asked for. */
  readonly dial: (to: { address: string; port: number; servername: string }) => Promise<Socket>;
  readonly dialled: { address: string; port: number; servername: string }[];
  /** Sockets whose other end has not hung up. */
  open(): number;
  close(): Promise<void>;
}

/** A real HTTPS server on loopback. */
export async function httpsSite({ ca, key, cert }: Authority, handle: (req: IncomingMessage, res: ServerResponse) => void): Promise<Site> {
  const server = createHttps({ key, cert }, handle);
  return site(server, "secureConnection", (port, servername) => connect({ host: "127.0.0.1", port, servername, ca }), "secureConnect");
}

/** A server that says over plain TCP whatever it likes. */
export async function rawSite(handle: (socket: Socket) => void): Promise<Site> {
  const { connect: tcp } = await import("node:net");
  const server = createTcp({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    handle(socket);
  });
  return site(server, "connection", (port) => tcp({ host: "127.0.0.1", port }), "connect");
}

async function site(server: Server, arrival: string, dialTo: (port: number, name: string) => Socket, ready: string): Promise<Site> {
  const sockets = new Set<Socket>();
  const alive = new Set<Socket>();
  server.on(arrival, (socket: Socket) => {
    sockets.add(socket);
    alive.add(socket);
    socket.on("error", () => {});
    for (const over of ["end", "close"]) socket.once(over, () => alive.delete(socket));
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const dialled: Site["dialled"] = [];
  return {
    port,
    dialled,
    dial: (to) => {
      dialled.push(to);
      return new Promise((resolve, reject) => {
        const socket = dialTo(port, to.servername);
        socket.once(ready, () => resolve(socket));
        socket.once("error", reject);
      });
    },
    open: () => alive.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
