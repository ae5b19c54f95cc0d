import { Duplex } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { whyNotPublic } from "../../src/host/web/address.ts";
import { judgeUrl } from "../../src/host/web/url.ts";
import { browser } from "./walls-browse.ts";

/** Written down a second time, by number, from the registries of special-purpose addresses. */
const SPECIAL_V4: readonly [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];
const SPECIAL_V6: readonly [bigint, bigint][] = [
  [0x2001_0000n << 96n, 23n],
  [0x2001_0db8n << 96n, 32n],
  [0x2002_0000n << 96n, 16n],
  [0x3fff_0000n << 96n, 20n],
];

const v4Number = (text: string) => text.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
const v4Text = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255].join(".");
const isGlobalV4 = (n: number) => !SPECIAL_V4.some(([base, bits]) => n >>> (32 - bits) === v4Number(base) >>> (32 - bits));
const isGlobalV6 = (n: bigint) => n >> 125n === 1n && !SPECIAL_V6.some(([base, bits]) => n >> (128n - bits) === base >> (128n - bits));
const groups = (n: bigint) => Array.from({ length: 8 }, (_, i) => (n >> BigInt(112 - 16 * i)) & 0xffffn);

/** Half of them at an edge of a special range, where a wrong mask shows. */
const v4 = fc.oneof(
  fc.nat(0xffffffff),
  fc.tuple(fc.constantFrom(...SPECIAL_V4), fc.integer({ min: -2, max: 2 }), fc.boolean()).map(([[base, bits], off, end]) => {
    const edge = v4Number(base) + (end ? 2 ** (32 - bits) : 0) + off;
    return ((edge % 2 ** 32) + 2 ** 32) % 2 ** 32;
  }),
);
const PREFIXES = [
  0n,
  0xffff_0000_0000n,
  0x64_ff9bn << 96n,
  (0x64_ff9bn << 96n) | (1n << 80n),
  0xfe80n << 112n,
  0xfd00n << 112n,
  0xff02n << 112n,
  0x0100n << 112n,
  0x5f00n << 112n,
  0xfec0n << 112n,
];
const v6 = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  fc.tuple(fc.constantFrom(...PREFIXES, ...SPECIAL_V6.map(([base]) => base)), v4).map(([base, low]) => base | BigInt(low)),
  fc
    .tuple(fc.constantFrom(...SPECIAL_V6), fc.bigInt({ min: -2n, max: 2n }), fc.boolean())
    .map(([[base, bits], off, end]) => base + (end ? 1n << (128n - bits) : 0n) + off),
  v4.map((low) => (0x2002n << 112n) | (BigInt(low) << 80n) | 1n),
);

const upper = (text: string) => text.toUpperCase();
const wide = (text: string) => text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
const percent = (text: string) => text.replace(/[0-9a-zA-Z]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
const spellV4 = (n: number) => {
  const parts = [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255] as const;
  return [
    v4Text(n),
    String(n),
    `0x${n.toString(16)}`,
    `0${n.toString(8)}`,
    parts.map((part) => `0x${part.toString(16)}`).join("."),
    parts.map((part) => `000${part.toString(8)}`).join("."),
    `${parts[0]}.${n & 0xffffff}`,
    `${parts[0]}.${parts[1]}.${n & 0xffff}`,
    `${v4Text(n)}.`,
    wide(v4Text(n)),
    v4Text(n).replaceAll(".", "。"),
    percent(v4Text(n)),
    `[::ffff:${v4Text(n)}]`,
    `[::${v4Text(n)}]`,
    `[64:ff9b::${v4Text(n)}]`,
  ];
};
const spellV6 = (n: bigint) => {
  const hex = groups(n).map((group) => group.toString(16));
  return [`[${hex.join(":")}]`, upper(`[${hex.join(":")}]`), `[${hex.map((group) => group.padStart(4, "0")).join(":")}]`];
};
const host = fc.oneof(
  fc.tuple(v4, fc.nat(14)).map(([n, i]) => spellV4(n)[i]!),
  fc.tuple(v6, fc.nat(2)).map(([n, i]) => spellV6(n)[i]!),
  fc.constantFrom(
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "x.internal",
    "printer.local",
    "metadata",
    "router.home.arpa",
    "site.test",
    "b.site.test",
    "ｓite.test",
  ),
  fc.webUrl().map((url) => url.replace(/^\w+:\/\//, "")),
  fc.string({ maxLength: 30 }),
);
const url = fc
  .tuple(
    fc.constantFrom(
      "https://",
      "https:",
      "https:\\\\",
      "HTTPS://",
      "http://",
      "https:///",
      "https://me@",
      "https://a.test@",
      "//",
      "ftp://",
      "\thttps://",
    ),
    host,
    fc.constantFrom("", ":443", ":", ":80", ":0443", ":65536", "/", "?@10.0.0.1", "#@10.0.0.1", "\\@10.0.0.1", "/..//"),
  )
  .map((parts) => parts.join(""));
const answer = fc.oneof(
  v4.map(v4Text),
  v6.map((n) =>
    groups(n)
      .map((group) => group.toString(16))
      .join(":"),
  ),
  v4.map((n) => `::ffff:${v4Text(n)}`),
  fc.constantFrom("8.8.8.8", "1.1.1.1", "2606:4700::1111", "fe80::1%eth0", "", "localhost", "127.1", "0x7f.1", "010.0.0.1"),
  fc.string({ maxLength: 12 }),
);

/** A page or a redirect, from memory. */
const speak = (location: string | undefined) => {
  const said =
    location === undefined
      ? "200 OK\r\ncontent-length: 2\r\n\r\nok"
      : `302 Found\r\nlocation: ${Buffer.from(location.replace(/[\r\n\0]/g, "")).toString("latin1")}\r\ncontent-length: 0\r\n\r\n`;
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      socket.push(Buffer.from(`HTTP/1.1 ${said}`, "latin1"));
      done();
    },
  });
  return socket;
};

/** Reads the address back by number; no library of ours or of others is asked. */
function isGlobal(address: string): boolean {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(address)) return isGlobalV4(v4Number(address));
  const [head = "", tail] = address.split("::");
  const parts = (text: string) => (text === "" ? [] : text.split(":"));
  const zeros = tail === undefined ? [] : new Array(8 - parts(head).length - parts(tail).length).fill("0");
  const hex = [...parts(head), ...zeros, ...parts(tail ?? "")];
  expect(hex).toHaveLength(8);
  return isGlobalV6(hex.reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n));
}

const runs = { numRuns: Number(process.env.ROUNDS ?? 1500) };

describe("no address outside global unicast", () => {
  it("is dialled, for any spelling, any answers, and any redirects", async () => {
    let dialled = 0;
    await fc.assert(
      fc.asyncProperty(
        url,
        fc.array(url, { maxLength: 4 }),
        fc.array(fc.array(answer, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        async (first, redirects, answers) => {
          const left = [...redirects];
          const answersLeft = [...answers];
          const seen: { address: string; port: number }[] = [];
          const by = browser({
            wires: {
              lookup: async () => {
                return answersLeft.shift() ?? ["8.8.8.8"];
              },
              dial: async ({ address, port }) => {
                seen.push({ address, port });
                // Some do not answer, so that the next address gets its turn.
                if (seen.length % 3 === 1) throw new Error("refused");
                return speak(left.shift());
              },
            },
          });
          await by.page(first).catch(() => {});
          // Here, because what a dialler throws is a failure of the network to the one who dials.
          for (const { address, port } of seen) expect([address, isGlobal(address), port]).toEqual([address, true, 443]);
          dialled += seen.length;
          expect(by.egress.length).toBeGreaterThan(0);
          expect(by.egress.length).toBeLessThanOrEqual(4);
        },
      ),
      runs,
    );
    expect(dialled).toBeGreaterThan(100);
  });
  it("is called public, and none inside is refused but for small special ranges", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          v4.map(v4Text),
          v6.map((n) =>
            groups(n)
              .map((group) => group.toString(16))
              .join(":"),
          ),
        ),
        (address) => {
          if (whyNotPublic(address) === null) expect(isGlobal(address)).toBe(true);
        },
      ),
      { numRuns: 20_000 },
    );
    for (const address of [
      "1.0.0.0",
      "9.255.255.255",
      "11.0.0.0",
      "100.128.0.0",
      "172.32.0.0",
      "192.167.255.255",
      "223.255.255.255",
      "2001:200::1",
      "2003::1",
      "3ffe::1",
      "2c0f::1",
    ])
      expect(whyNotPublic(address)).toBeNull();
  });
  it("the judge and the call agree", async () => {
    const limits = { ports: [443], allowed_domains: [], denied_domains: [] };
    await fc.assert(
      fc.asyncProperty(url, async (first) => {
        let asked = 0;
        const by = browser({
          wires: {
            lookup: async () => {
              asked++;
              return ["8.8.8.8"];
            },
            dial: async () => {
              asked++;
              return speak(undefined);
            },
          },
        });
        await by.page(first).catch(() => {});
        expect(asked > 0).toBe(judgeUrl(first, limits) === null);
      }),
      runs,
    );
  });
});
