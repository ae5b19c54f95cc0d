import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/any-character.ts";
import { BodyProblem, createBodyReader } from "./http-body.ts";
import { endOfHead, readHead } from "./http-head.ts";

const head = (...lines: string[]) => readHead(lines.join("\r\n"));
const get = (...lines: string[]) => head("GET http://a.example/x HTTP/1.1", ...lines);
const problem = expect.objectContaining({ problem: expect.any(String) });

describe("The head of a request to the proxy", () => {
  it("is a tunnel with a name and a port", () => {
    expect(head("CONNECT a.example:443 HTTP/1.1", "Host: b.example:1", "Proxy-Authorization: Basic eA==")).toEqual({
      kind: "tunnel",
      host: "a.example",
      port: 443,
      credential: "",
    });
    expect(head("CONNECT [::1]:443 HTTP/1.0")).toMatchObject({ host: "[::1]", port: 443 });
    expect(head("CONNECT a.example:443 HTTP/1.1", "Content-Length: 0")).toMatchObject({ kind: "tunnel" });
  });

  it.each([
    [[], null],
    [["Proxy-Authorization: Basic emVwaDphOmI="], "a:b"],
    [["proxy-authorization:  bAsIc emVwaDo="], ""],
    [["Proxy-Authorization: Bearer emVwaDphOmI="], ""],
    [["Proxy-Authorization: Basic ???"], ""],
  ])("says by its password which command it comes from: %j", (lines, credential) => expect(get(...lines)).toMatchObject({ credential }));

  it("is written anew for the server: its path, the host that was judged, and no word for neighbours", () => {
    const read = head(
      "POST http://a.example?q=1 HTTP/1.0",
      "host: evil.example",
      "Content-Length: 3",
      "Connection: keep-alive, X-Hop",
      "Keep-Alive: 5",
      "Proxy-Connection: keep-alive",
      "Proxy-Authorization: Basic c2VjcmV0",
      "X-Hop: gone",
      "TE: trailers",
      "Upgrade: websocket",
      "Accept: */*",
    );
    expect(read).toMatchObject({ host: "a.example", port: 80, framing: { kind: "length", bytes: 3 } });
    expect((read as { rewritten: string }).rewritten).toBe(
      "POST /?q=1 HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\nAccept: */*\r\nConnection: close\r\n\r\n",
    );
    expect(head("GET http://a.example:443/ HTTP/1.1")).toMatchObject({
      port: 443,
      rewritten: expect.stringContaining("Host: a.example:443\r\n"),
    });
  });

  it.each([
    ["two lengths", ["Content-Length: 3", "Content-Length: 3"]],
    ["a length and chunks", ["Content-Length: 3", "Transfer-Encoding: chunked"]],
    ["chunks twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]],
    ["chunks and something else", ["Transfer-Encoding: gzip, chunked"]],
    ["a coding nobody knows", ["Transfer-Encoding: identity"]],
    ["a coding in disguise", ["Transfer-Encoding: \u000bchunked"]],
    ["two numbers", ["Content-Length: 3, 3"]],
    ["a sign", ["Content-Length: +3"]],
    ["a hexadecimal length", ["Content-Length: 0x3"]],
    ["a length below nothing", ["Content-Length: -1"]],
    ["an empty length", ["Content-Length:"]],
    ["a no-break space before the length", ["Content-Length:\u00a03"]],
    ["a no-break space behind the length", ["Content-Length: 3\u00a0"]],
    ["a no-break space before the coding", ["Transfer-Encoding: \u00a0chunked"]],
    ["a space before the colon", ["Content-Length : 3"]],
    ["a folded line", ["X: a", " Content-Length: 3"]],
    ["a line without a colon", ["Content-Length"]],
    ["a line that is empty", ["X: a", ""]],
    ["two hosts", ["Host: a.example", "Host: b.example"]],
    ["a length that is for neighbours", ["Content-Length: 3", "Connection: content-length"]],
    ["a bare line feed", ["X: a\nContent-Length: 3"]],
    ["a bare carriage return", ["X: a\rContent-Length: 3"]],
    ["a zero byte", ["X: a\0"]],
    ["too many lines", Array.from({ length: 201 }, () => "X: a")],
  ])("is refused with %s", (_, lines) => {
    expect(get(...lines)).toEqual(problem);
  });

  it.each([
    ..."GET / HTTP/1.1|GET https://a.example/ HTTP/1.1|GET ftp://a.example/ HTTP/1.1|GET http:/a.example/ HTTP/1.1|GET http:a.example HTTP/1.1".split(
      "|",
    ),
    ..."GET http://user@a.example/ HTTP/1.1|GET http://a.example\\@b.example/ HTTP/1.1|GET http://a.example:x/ HTTP/1.1|GET http:///x HTTP/1.1".split(
      "|",
    ),
    ..."GET http://a.example/ HTTP/2|GET http://a.example/ HTTP/1.1 x|get http://a.example/ HTTP/1.1| GET http://a.example/ HTTP/1.1|GET  http://a.example/ HTTP/1.1".split(
      "|",
    ),
    ..."CONNECT a.example HTTP/1.1|CONNECT a.example: HTTP/1.1|CONNECT http://a.example:443 HTTP/1.1|CONNECT u@a.example:443 HTTP/1.1|CONNECT a:b:443 HTTP/1.1".split(
      "|",
    ),
    "GET http://a.example/#x HTTP/1.1",
    "\x05\x01\x00",
    "",
  ])("is refused when it begins %j", (line) => {
    expect(head(line)).toEqual(problem);
  });

  it("of a tunnel may have no body", () => {
    expect(head("CONNECT a.example:443 HTTP/1.1", "Content-Length: 5")).toEqual(problem);
    expect(head("CONNECT a.example:443 HTTP/1.1", "Transfer-Encoding: chunked")).toEqual(problem);
  });

  it("never puts a line into the server's head that was not a header of the client, nor a second length", () => {
    const value = fc.oneof(
      fc.string(),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom("chunked", "3", "a\r\nHost: b.example", "close, host"),
    );
    const name = fc.constantFrom("Host", "X-A", "Content-Length", "Transfer-Encoding", "Connection", "Proxy-X", "a b", "");
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 6 }), (headers) => {
        const read = get(...headers.map(([key, text]) => `${key}: ${Buffer.from(text).toString("latin1")}`));
        if ("problem" in read || read.kind !== "request") return;
        const lines = read.rewritten.split("\r\n");
        expect(lines.filter((line) => /^host:/i.test(line))).toEqual(["Host: a.example"]);
        expect(lines.filter((line) => /^(content-length|transfer-encoding):/i.test(line)).length).toBeLessThan(2);
        expect(lines.slice(-2)).toEqual(["", ""]);
        expect(lines.slice(0, -2)).not.toContain("");
        expect(read.rewritten).not.toMatch(/^proxy-/im);
      }),
      { numRuns: 400 },
    );
  });

  it("ends at its first empty line, however it is cut", () => {
    const bytes = Buffer.from("GET x\r\n\r\nrest\r\n\r\n");
    for (let cut = 0; cut < bytes.length; cut++) {
      const first = endOfHead(bytes.subarray(0, cut), 0);
      expect(first < 0 ? endOfHead(bytes, cut) : first).toBe(9);
    }
  });
});

/** What goes on of a body that comes in these pieces. */
const taken = (framing: Parameters<typeof createBodyReader>[0], pieces: readonly string[]) => {
  const reader = createBodyReader(framing);
  const out = pieces.flatMap((piece) => reader.take(Buffer.from(piece, "latin1")));
  return Buffer.concat(out).toString("latin1");
};
const CHUNKED = { kind: "chunked" } as const;

describe("The body of a request to the proxy", () => {
  it("is as long as its head says, and more of it is an error", () => {
    expect(taken({ kind: "length", bytes: 4 }, ["ab", "cd"])).toBe("abcd");
    expect(taken({ kind: "length", bytes: 4 }, ["ab"])).toBe("ab");
    expect(() => taken({ kind: "length", bytes: 4 }, ["abcd", "e"])).toThrow(BodyProblem);
    expect(() => taken({ kind: "length", bytes: 0 }, ["GET / HTTP/1.1"])).toThrow(BodyProblem);
  });

  it("in chunks is written anew, without extensions and trailers, wherever it is cut", () => {
    const sent = "4;x=y\r\nabcd\r\n00A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
    const expected = "4\r\nabcd\r\na\r\n0123456789\r\n0\r\n\r\n";
    expect(taken(CHUNKED, [sent])).toEqual(expected);
    expect(taken(CHUNKED, [...sent])).toEqual(expected);
    fc.assert(
      fc.property(fc.array(fc.nat(sent.length), { maxLength: 8 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), sent.length];
        expect(
          taken(
            CHUNKED,
            at.slice(1).map((end, n) => sent.slice(at[n], end)),
          ),
        ).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ["a second request behind it", "0\r\n\r\nGET http://b.example/ HTTP/1.1\r\n\r\n"],
    ["a chunk that is longer than it says", "2\r\nabc\r\n0\r\n\r\n"],
    ["a size that is none", "x\r\n"],
    ["a size with a sign", "+2\r\nab\r\n"],
    ["a size in hexadecimal twice", "0x2\r\nab\r\n"],
    ["a size nobody can count", `${"f".repeat(9)}\r\n`],
    ["a bare line feed", "2\nab\r\n"],
    ["a line without an end", "0".repeat(2000)],
    ["trailers without an end", `0\r\n${"a: b\r\n".repeat(400)}`],
  ])("in chunks is refused with %s", (_, sent) => {
    expect(() => taken(CHUNKED, [sent])).toThrow(BodyProblem);
    expect(() => taken(CHUNKED, [...sent])).toThrow(BodyProblem);
  });
});
