import type { Socket } from "node:net";
import { afterAll, afterEach, beforeAll } from "vitest";
import { browser } from "./walls-browse.ts";
import { httpsSite, ownAuthority, rawSite, type Site } from "./walls-server.ts";

export type Handler = Parameters<typeof httpsSite>[1];
export const PUBLIC = "93.184.215.14";

type Options = Omit<Parameters<typeof browser>[0], "wires"> & { readonly lookup?: (name: string) => Promise<string[]> };

/** An HTTPS site for the tests of a file, and a browser whose every dial ends there. */
export function httpsStand() {
  const authority = ownAuthority();
  const stand = {
    site: undefined as unknown as Site,
    handle: ((_req, res) => void res.end()) as Handler,
    open({ lookup = async () => [PUBLIC], ...rest }: Options = {}) {
      const looked: string[] = [];
      const ask = (name: string) => {
        looked.push(name);
        return lookup(name);
      };
      return { ...browser({ ...rest, wires: { dial: stand.site.dial, lookup: ask } }), looked };
    },
  };
  beforeAll(async () => {
    stand.site = await httpsSite(authority, (req, res) => stand.handle(req, res));
  });
  afterAll(() => stand.site.close());
  afterEach(() => stand.site.dialled.splice(0));
  return stand;
}

export const CAP = 64 * 1024;
export const head = (...lines: string[]): string => ["HTTP/1.1 200 OK", "content-type: text/plain", ...lines, "", ""].join("\r\n");

/** The same over plain TCP, where a server can say whatever it likes once it was asked. */
export function rawStand() {
  const stand = {
    site: undefined as unknown as Site,
    handle: (_socket: Socket): void => {},
    open: (options: { config?: object; idleMs?: number } = {}) =>
      browser({
        ...options,
        config: { max_body_bytes: CAP, ...options.config },
        wires: { lookup: async () => ["8.8.8.8"], dial: (to) => stand.site.dial(to) },
      }),
    sends(...parts: (string | Uint8Array)[]) {
      stand.handle = (socket) => {
        for (const part of parts) socket.write(part);
        socket.end();
      };
    },
    /** How many connections are left open, after a moment to close them. */
    async closed(): Promise<number> {
      for (let i = 0; i < 100 && stand.site.open() > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
      return stand.site.open();
    },
  };
  beforeAll(async () => {
    stand.site = await rawSite((socket) => socket.once("data", () => stand.handle(socket)));
  });
  afterAll(() => stand.site.close());
  return stand;
}
