import { Duplex } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { whyNotPublic } from "../../src/host/web/address.ts";
import { judgeUrl } from "../../src/host/web/url.ts";
import { browser } from "./walls-browse.ts";
import { answer, isGlobal, url, v4, v4Text, v6, v6Text } from "./walls-spellings.ts";

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

const runs = { numRuns: 200 };

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
          let others = 0;
          const seen: { address: string; port: number }[] = [];
          const by = browser({
            wires: {
              lookup: async () => {
                const next = answersLeft.shift() ?? ["8.8.8.8"];
                others = new Set(next).size - 1;
                return next;
              },
              dial: async ({ address, port }) => {
                seen.push({ address, port });
                // The first ones do not answer, so that each address gets its turn.
                if (others-- > 0) throw new Error("refused");
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
    // Else it would say nothing.
    expect(dialled).toBeGreaterThan(runs.numRuns / 4);
  });
  it("is called public, and none inside is refused but for small special ranges", () => {
    fc.assert(
      fc.property(fc.oneof(v4.map(v4Text), v6.map(v6Text)), (address) => {
        if (whyNotPublic(address) === null) expect(isGlobal(address)).toBe(true);
      }),
      { numRuns: 4000 },
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
