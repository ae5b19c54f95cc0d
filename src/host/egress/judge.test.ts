import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/any-character.ts";
import { type DomainRules, isOpenable, judgeTarget } from "./judge.ts";

const rules = (allow: string[] = [], deny: string[] = []): DomainRules => ({ allow, deny });
const verdictOf = (host: string, port = 443, lists = rules(["*.example", "a.example", "example"])) =>
  judgeTarget({ host, port }, lists).verdict;

describe("A name that a command wants to reach", () => {
  it("is open when a list says so, for itself or for what is below it", () => {
    expect(verdictOf("a.example", 443, rules(["a.example"]))).toBe("open");
    expect(verdictOf("b.a.example", 443, rules(["a.example"]))).toBe("unknown");
    expect(verdictOf("b.a.example", 80, rules(["*.a.example"]))).toBe("open");
    expect(verdictOf("a.example", 443, rules(["*.a.example"]))).toBe("unknown");
    expect(verdictOf("ba.example", 443, rules(["*.a.example"]))).toBe("unknown");
    expect(verdictOf("A.Example.", 443, rules(["a.example"]))).toBe("open");
  });

  it("is unknown when no list speaks of it, and `@registries` is no name", () => {
    expect(verdictOf("a.example", 443, rules())).toBe("unknown");
    expect(verdictOf("a.example", 443, rules(["@registries"]))).toBe("unknown");
  });

  it("is refused by deny_domains whatever else is said", () => {
    const lists = rules(["a.example", "*.a.example"], ["*.a.example"]);
    expect(judgeTarget({ host: "x.a.example", port: 443 }, lists)).toMatchObject({
      verdict: "refused",
      why: expect.stringContaining("deny_domains"),
    });
    expect(verdictOf("a.example", 443, lists)).toBe("open");
  });

  it.each([0, 1, 22, 25, 53, 81, 444, 3128, 8080, 8443, 65_535, 65_536, Number.NaN])("is refused on port %s", (port) => {
    expect(verdictOf("a.example", port)).toBe("refused");
  });

  it.each([
    ...["127.0.0.1", "[::1]", "::1", "169.254.169.254", "8.8.8.8", "[::ffff:127.0.0.1]", "::ffff:7f00:1", "[fe80::1%25eth0]"],
    ...["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "127.0.0.1.", "1.2.3.4.", "0", "0x0"],
    ...["localhost", "localhost.", "foo", "printer.local", "db.internal", "metadata.goog", "x.localhost", "nas.lan", "a.corp"],
    ...["", ".", "..", "a..example", ".a.example", "a.example..", "a.example:80", "user@a.example", "a.example@b.example", "a.example/b"],
    ...[
      "a.example#",
      "a.example?x",
      "a\\b.example",
      "a b.example",
      "a\r\nb.example",
      "a.example\0",
      "ä.example",
      "a%2eb.example",
      "xn--\u0000.example",
    ],
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(130)}example`,
  ])("is refused when it is %j, whatever is open", (host) => {
    expect(verdictOf(host)).toBe("refused");
  });

  it("is judged alike in every spelling, and opens nothing that no list names", () => {
    const label = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join("."));
    fc.assert(
      fc.property(
        name,
        fc.array(name, { maxLength: 3 }),
        fc.array(name, { maxLength: 2 }),
        fc.constantFrom(443, 80, 22),
        (host, allow, deny, port) => {
          const judged = judgeTarget({ host, port }, { allow, deny });
          expect(judgeTarget({ host: `${host.toUpperCase()}.`, port }, { allow, deny })).toEqual(judged);
          if (judged.verdict === "open") expect(allow).toContain(host);
          if (deny.includes(host) || port === 22) expect(judged.verdict).toBe("refused");
        },
      ),
      { numRuns: 400 },
    );
  });

  it("is never open when it is any text at all and nothing is allowed", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: anyCharacter }), fc.ipV4(), fc.ipV6(), fc.domain()),
        fc.integer(),
        (host, port) => {
          expect(judgeTarget({ host, port }, rules()).verdict).not.toBe("open");
        },
      ),
      { numRuns: 400 },
    );
  });
});

describe("A line of allow_domains", () => {
  it.each([
    ["a.example", true],
    ["*.a.example", true],
    ["@registries", true],
    ["A.Example.", true],
    ["*", false],
    ["*.*", false],
    ["a.*.example", false],
    ["127.0.0.1", false],
    ["localhost", false],
    ["*.local", false],
    ["https://a.example", false],
    ["a.example:443", false],
    ["@other", false],
    ["", false],
  ])("%s: %s", (pattern, isOne) => {
    expect(isOpenable(pattern)).toBe(isOne);
  });
});
