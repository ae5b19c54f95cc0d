import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { ToolError } from "../../core/error.ts";
import { canonicalAddress, whyNotPublic } from "./address.ts";
import type { FollowOptions } from "./follow.ts";

/** The machine's own resolver, hosts file included. It waits on threads that files are read with too, so it gets only some of them. */
export async function lookupHost(hostname: string, signal: AbortSignal): Promise<readonly string[]> {
  while (asking >= MOST_ASKING) await Promise.race(waiting);
  signal.throwIfAborted();
  asking++;
  const answer = systemLookup(hostname, { all: true, verbatim: true });
  const settled = answer.then(
    () => {},
    () => {},
  );
  waiting.add(settled);
  try {
    return (await answer).map(({ address }) => address);
  } finally {
    asking--;
    waiting.delete(settled);
  }
}

const MOST_ASKING = 3;
let asking = 0;
const waiting = new Set<Promise<void>>();

export interface DialOptions {
  /** Certificates to trust in place of the system's. */
  readonly ca?: string;
  readonly whyNot?: (address: string) => string | null;
}

/**
 * TCP and verified TLS to one address. No proxy, no name is looked up here, and the far end of the socket
 * must be the address that was asked for.
 */
export const createTlsDial =
  ({ ca, whyNot = whyNotPublic }: DialOptions = {}): FollowOptions["dial"] =>
  ({ address, port, servername }, signal) => {
    const reason = whyNot(address);
    if (reason) return Promise.reject(new ToolError("policy_blocked", `${address} is ${reason}. Only public addresses are allowed.`));
    return new Promise<TLSSocket>((resolve, reject) => {
      const socket = connect({
        host: address,
        port,
        // An address has no SNI; its certificate must name the address.
        ...(isIP(servername) === 0 && { servername }),
        ALPNProtocols: ["http/1.1"],
        minVersion: "TLSv1.2",
        // Said outright: an environment variable can turn the default off.
        rejectUnauthorized: true,
        ...(ca !== undefined && { ca }),
      });
      const fail = (error: Error) => {
        signal.removeEventListener("abort", stop);
        socket.destroy();
        reject(error);
      };
      const stop = () => fail(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      // Before the handshake says anything.
      socket.once("connect", () => {
        const far = socket.remoteAddress;
        if (far === undefined || canonicalAddress(far) !== canonicalAddress(address) || whyNot(far))
          fail(new ToolError("policy_blocked", `The connection to ${address} ended at another address. Nothing was sent.`));
      });
      socket.once("error", fail);
      socket.setTimeout(ATTEMPT_MS, () => fail(Object.assign(new Error("The connection took too long."), { code: "ETIMEDOUT" })));
      socket.once("secureConnect", () => {
        socket.setTimeout(0);
        signal.removeEventListener("abort", stop);
        socket.removeListener("error", fail);
        resolve(socket);
      });
    });
  };

/** A host with several addresses gets a chance at the next one. */
const ATTEMPT_MS = 5000;
