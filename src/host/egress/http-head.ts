import { attempt } from "../../text/attempt.ts";

/** How long the body of a request is. What says two things about it, or one thing twice, is no request. */
export type Framing = { readonly kind: "length"; readonly bytes: number } | { readonly kind: "chunked" };

/** What a client asks for. */
type Wanted =
  | { readonly kind: "tunnel"; readonly host: string; readonly port: number }
  | {
      readonly kind: "request";
      readonly host: string;
      readonly port: number;
      /** What the server is sent in place of the head that came. */
      readonly rewritten: string;
      readonly framing: Framing;
    };

export type ProxyHead = Wanted & {
  /** The password of `Proxy-Authorization`; null where the client sent none. */
  readonly credential: string | null;
};

export interface BadHead {
  readonly problem: string;
}

/** The end of a head, with its empty line. Negative while it is not there. `from` is where to look on. */
export const endOfHead = (bytes: Buffer, from: number): number => {
  const at = bytes.indexOf("\r\n\r\n", Math.max(0, from - 3), "latin1");
  return at < 0 ? -1 : at + 4;
};

const MOST_HEADERS = 200;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;

/**
 * A head without its empty line, read strictly: whatever two readers could take for two things is refused, so that the server reads the request
 * that was judged and no second one.
 */
export function readHead(head: string): ProxyHead | BadHead {
  // A line ends with CR LF and nothing else; what a terminal or another parser would obey is in no line.
  if (/[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|(?<!\r)\n/.test(head)) return bad("the head holds characters that no head may hold");
  const [first = "", ...lines] = head.split("\r\n");
  const [, method = "", target = "", version = ""] = /^([A-Z]{1,20}) ([\x21-\x7e]{1,16384}) HTTP\/1\.([01])$/.exec(first) ?? [];
  if (method === "") return bad("the first line is not that of an HTTP/1 request");
  if (lines.length > MOST_HEADERS) return bad(`there are more than ${MOST_HEADERS} headers`);
  const headers = lines.map(readHeader);
  if (!headers.every((header) => header !== null)) return bad("a line of the head is not a header");
  const twice = SINGLE.find((name) => headers.filter((header) => header.name === name).length > 1);
  if (twice !== undefined) return bad(`there are two headers ${twice}`);
  const framing = framingOf(headers, version);
  if ("problem" in framing) return framing;
  const credential = credentialOf(headers);
  const wanted = method === "CONNECT" ? tunnelTo(target, framing) : requestTo(method, target, headers, framing);
  return "problem" in wanted ? wanted : { ...wanted, credential };
}

interface Header {
  /** In lower case. */
  readonly name: string;
  readonly line: string;
  readonly value: string;
}

function readHeader(line: string): Header | null {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon));
  if (!TOKEN.test(name)) return null;
  return { name: name.toLowerCase(), line, value: trimSpaces(line.slice(colon + 1)) };
}

/** Spaces and tabs alone may stand around a value. `trim` takes a no-break space as well, which the server reads as a part of it. */
function trimSpaces(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && " \t".includes(text[start]!)) start++;
  while (end > start && " \t".includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Said twice they could be read in two ways. */
const SINGLE = ["host", "content-length", "transfer-encoding", "proxy-authorization"];

/** Of any other scheme, or unreadable: a text that is nobody's credential. */
function credentialOf(headers: readonly Header[]): string | null {
  const value = headers.find(({ name }) => name === "proxy-authorization")?.value;
  if (value === undefined) return null;
  const [, encoded = ""] = /^basic +([A-Za-z0-9+/=]{1,400})$/i.exec(value) ?? [];
  return /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, "base64").toString("latin1"))?.[1] ?? "";
}

function framingOf(headers: readonly Header[], version: string): Framing | BadHead {
  const valueIn = (name: string) => headers.find((header) => header.name === name)?.value;
  const length = valueIn("content-length");
  const coding = valueIn("transfer-encoding");
  if (length !== undefined && coding !== undefined) return bad("the length of the body is said in two ways");
  if (coding !== undefined) {
    if (coding.toLowerCase() !== "chunked" || version !== "1") return bad("the body comes in a way that is not understood");
    return { kind: "chunked" };
  }
  if (length === undefined) return { kind: "length", bytes: 0 };
  return /^\d{1,15}$/.test(length) ? { kind: "length", bytes: Number(length) } : bad("the length of the body is no number");
}

const AUTHORITY = /^([^\s:@/?#\\[\]]{1,300}|\[[0-9a-f:.]{2,60}\])(?::(\d{1,5}))?$/i;

function tunnelTo(target: string, framing: Framing): Wanted | BadHead {
  const [, host, port] = AUTHORITY.exec(target) ?? [];
  if (host === undefined || port === undefined) return bad("CONNECT takes a name and a port");
  if (framing.kind === "chunked" || framing.bytes > 0) return bad("CONNECT has no body");
  return { kind: "tunnel", host, port: Number(port) };
}

/** Between two neighbours only. `host` is written anew from what was judged. */
const DROPPED = /^(?:proxy-.*|connection|keep-alive|te|trailer|upgrade|host)$/;

function requestTo(method: string, target: string, headers: readonly Header[], framing: Framing): Wanted | BadHead {
  const [, authority = "", path = ""] = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(target) ?? [];
  const [, host, port = "80"] = AUTHORITY.exec(authority) ?? [];
  if (host === undefined) return bad("a request names its whole address: http://name/…, and https goes through CONNECT");
  if (attempt(() => new URL(target), null) === null) return bad("the address is not one that could exist");
  const named = headers.filter(({ name }) => name === "connection").flatMap(({ value }) => value.toLowerCase().split(/[\s,]+/));
  // A header that is taken out because `Connection` says so must not be the one that says where the body ends.
  const held = named.find((name) => SINGLE.includes(name));
  if (held !== undefined) return bad(`Connection may not name ${held}`);
  const kept = headers.filter(({ name }) => !DROPPED.test(name) && !named.includes(name));
  const place = path.startsWith("/") ? path : `/${path}`;
  const rewritten = [`${method} ${place} HTTP/1.1`, `Host: ${shownHost(host, port)}`, ...kept.map(({ line }) => line), "Connection: close"];
  return { kind: "request", host, port: Number(port), rewritten: `${rewritten.join("\r\n")}\r\n\r\n`, framing };
}

const shownHost = (host: string, port: string): string => (Number(port) === 80 ? host : `${host}:${Number(port)}`);

const bad = (problem: string): BadHead => ({ problem });
