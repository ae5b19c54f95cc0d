/** What SOCKS5 says before bytes flow: a greeting, then where to. */
export type SocksStep<T> =
  | { readonly kind: "more" }
  | { readonly kind: "bad" }
  | { readonly kind: "whole"; readonly length: number; readonly value: T };

export const SOCKS_VERSION = 5;
/** The answers to a greeting: how the client goes on. */
export const SOCKS_METHOD = { open: Buffer.from([SOCKS_VERSION, 0]), password: Buffer.from([SOCKS_VERSION, 2]) } as const;
/** Every password is accepted: it only says which command speaks. A credential of no running command is refused with the request. */
export const SOCKS_PASSWORD_OK = Buffer.from([1, 0]);
export const SOCKS_NO_METHOD = Buffer.from([SOCKS_VERSION, 0xff]);

const MORE = { kind: "more" } as const;
const BAD = { kind: "bad" } as const;

/** How the client can go on; null where it offers neither way. */
export function readSocksGreeting(bytes: Buffer): SocksStep<keyof typeof SOCKS_METHOD | null> {
  if (bytes.length < 2) return MORE;
  const length = 2 + bytes[1]!;
  if (bytes.length < length) return MORE;
  const methods = bytes.subarray(2, length);
  return { kind: "whole", length, value: methods.includes(2) ? "password" : methods.includes(0) ? "open" : null };
}

/** The password of RFC 1929; null for an empty one. */
export function readSocksPassword(bytes: Buffer): SocksStep<string | null> {
  if (bytes.length < 2) return bytes.length > 0 && bytes[0] !== 1 ? BAD : MORE;
  if (bytes[0] !== 1) return BAD;
  const start = 3 + bytes[1]!;
  if (bytes.length < start) return MORE;
  const length = start + bytes[start - 1]!;
  if (bytes.length < length) return MORE;
  return { kind: "whole", length, value: bytes.toString("latin1", start, length) || null };
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
