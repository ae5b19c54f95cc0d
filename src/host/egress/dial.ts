import { connect, type Socket } from "node:net";
import ipaddr from "ipaddr.js";
import { answerInTime } from "../../text/wait-within.ts";
import { canonicalAddress, whyNotPublic } from "../web/address.ts";
import { lookupHost } from "../web/wires.ts";

/** DNS and sockets, for tests. */
export interface EgressWires {
  lookup(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** A socket to this address, not yet connected. */
  dial(to: { readonly address: string; readonly port: number; readonly host: string }): Socket;
}

export const MACHINE_WIRES: EgressWires = {
  lookup: lookupHost,
  // Nothing is looked up here: it is an address already.
  dial: ({ address, port }) => connect({ host: address, port, allowHalfOpen: true, family: address.includes(":") ? 6 : 4 }),
};

export type Dialled = { readonly socket: Socket; readonly address: string } | { readonly why: string; readonly address?: string };

export interface DialRequest {
  readonly host: string;
  readonly port: number;
  readonly wires: EgressWires;
  /** Whether the person's own tools load from this name, so that it may lie inside their network. Asked only where that matters. */
  isRegistry(): Promise<boolean>;
  /** Nobody wants it any more. */
  readonly signal: AbortSignal;
}

const LOOKUP_MS = 15_000;
const CONNECT_MS = 20_000;

/** Looks a name up once, checks every answer, and dials exactly one of them: what was checked is what is reached. */
export async function dialName({ host, port, wires, isRegistry, signal }: DialRequest): Promise<Dialled> {
  const found = await answerInTime((stop) => wires.lookup(host, stop), LOOKUP_MS, signal);
  const addresses = [...new Set(found?.map(canonicalAddress))];
  const [address] = addresses;
  if (address === undefined) return { why: `${host} has no address (DNS)` };
  for (const one of addresses) {
    const why = whyNotPublic(one);
    if (why !== null && !(isInsideNetwork(one) && (await isRegistry())))
      return { why: `${host} stands for ${why}, and only public addresses are reached` };
  }
  const socket = await connected(wires.dial({ address, port, host }), signal);
  if (typeof socket === "string") return { why: `${host} could not be reached (${socket})`, address };
  return { socket, address };
}

/** Where a company's mirror, or that of a lab, lies. This machine, its link and a cloud's platform are in none of these. */
const INSIDE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"]
  .concat(["fc00::/7", "2001:db8::/32"])
  .map((range) => ipaddr.parseCIDR(range));
const PLATFORM = ipaddr.parseCIDR("fd00:ec2::/32");

export function isInsideNetwork(address: string): boolean {
  const parsed = ipaddr.parse(address);
  const isIn = ([base, bits]: ReturnType<typeof ipaddr.parseCIDR>) => parsed.kind() === base.kind() && parsed.match(base, bits);
  return INSIDE.some(isIn) && !isIn(PLATFORM);
}

/** The socket once it stands; else why it does not. */
function connected(socket: Socket, signal: AbortSignal): Promise<Socket | string> {
  return new Promise((resolve) => {
    const done = (end: Socket | string) => {
      socket.setTimeout(0);
      socket.removeAllListeners("timeout");
      signal.removeEventListener("abort", stop);
      if (typeof end === "string") socket.destroy();
      resolve(end);
    };
    const stop = () => done("nobody waits any more");
    // Stays for the life of the socket: an error nobody listens to would end the process.
    socket.on("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    socket.once("connect", () => done(socket));
    socket.setTimeout(CONNECT_MS, () => done("it took too long"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
