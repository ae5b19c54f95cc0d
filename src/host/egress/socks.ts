/** What SOCKS5 says before bytes flow: a greeting, then where to. */
export type SocksStep<T> =
  | { readonly kind: "more" }
  | { readonly kind: "bad" }
  | { readonly kind: "whole"; readonly length: number; readonly value: T };

export const SOCKS_VERSION = 5;
/** Nobody has to prove who they are: whoever gets here is behind the walls. */
export const SOCKS_WELCOME = Buffer.from([SOCKS_VERSION, 0]);
export const SOCKS_NO_METHOD = Buffer.from([SOCKS_VERSION, 0xff]);

const MORE = { kind: "more" } as const;
const BAD = { kind: "bad" } as const;

/** Whether the client would go on without a password. */
export function readSocksGreeting(bytes: Buffer): SocksStep<boolean> {
  if (bytes.length < 2) return MORE;
  const length = 2 + bytes[1]!;
  if (bytes.length < length) return MORE;
  return { kind: "whole", length, value: bytes.subarray(2, length).includes(0) };
}

export interface SocksRequest {
  readonly host: string;
  readonly port: number;
}

/** A name or an address and a port. An address is told as one, so that it is refused in the same words as elsewhere. */
export function readSocksRequest(bytes: Buffer): SocksStep<SocksRequest> {
  if (bytes.length < 5) return bytes.length > 0 && bytes[0] !== SOCKS_VERSION ? BAD : MORE;
  const [version, command, reserved, type, first] = bytes;
  if (version !== SOCKS_VERSION || command !== 1 || reserved !== 0) return BAD;
  const [from, to] = type === 1 ? [4, 8] : type === 4 ? [4, 20] : type === 3 ? [5, 5 + first!] : [0, 0];
  if (to === 0 || to === from) return BAD;
  if (bytes.length < to + 2) return MORE;
  const place = bytes.subarray(from, to);
  const host =
    type === 3 ? place.toString("latin1") : type === 1 ? place.join(".") : (place.toString("hex").match(/.{4}/g) ?? []).join(":");
  return { kind: "whole", length: to + 2, value: { host, port: bytes.readUInt16BE(to) } };
}

const CODES = { ok: 0, closed: 2, unreachable: 4 } as const;

export const socksReply = (code: keyof typeof CODES): Buffer => Buffer.from([SOCKS_VERSION, CODES[code], 0, 1, 0, 0, 0, 0, 0, 0]);
