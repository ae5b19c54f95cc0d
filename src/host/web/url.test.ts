import { describe, expect, it } from "vitest";
import { spelled } from "../../text/url.ts";
import { scrapeConfig } from "./config.ts";
import { judgeUrl, readUrl } from "./url.ts";

const limits = (config: object = {}) => scrapeConfig().parse(config);
const rule = (url: string, config?: object) => judgeUrl(url, limits(config))?.rule ?? null;

describe("one spelling", () => {
  it.each([
    ["https://EXAMPLE.com.", "https://example.com/", "example.com", 443],
    ["https:example.com/a#b", "https://example.com/a", "example.com", 443],
    ["https://bücher.example:443/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443],
    ["https://ⓔⓧⓐⓜⓟⓛⓔ.ⓒⓞⓜ/", "https://example.com/", "example.com", 443],
    ["https://8.8.2056/", "https://8.8.8.8/", "8.8.8.8", 443],
    ["https://[2606:4700:0::1111]/", "https://[2606:4700::1111]/", "2606:4700::1111", 443],
    ["https://a_b.example.com:8443/", "https://a_b.example.com:8443/", "a_b.example.com", 8443],
  ])("%s", (url, href, host, port) => {
    const target = readUrl(url, limits({ ports: [443, 8443] }));
    if ("rule" in target) throw new Error(target.why);
    expect([target.url.href, target.host, target.port]).toEqual([href, host, port]);
    // Rules for addresses are matched with what is sent.
    expect(spelled(url)).toBe(href);
  });
});

it.each([
  ["", "url"],
  ["example.com", "url"],
  ["https://", "url"],
  ["https://example..com/", "url"],
  ["https://localhost../", "url"],
  ["https://127.0.0.1../", "url"],
  ["https://.example.com/", "url"],
  ["https://a*b.com/", "url"],
  [`https://${"a".repeat(64)}.com/`, "url"],
  [`https://${"a.".repeat(130)}com/`, "url"],
  [`https://example.com/${"a".repeat(9000)}`, "url"],
  ["https://256.256.256.256/", "url"],
  ["https://[fe80::1%25eth0]/", "url"],
  ["http://example.com/", "scheme"],
  ["javascript:alert(1)", "scheme"],
  ["data:text/html,x", "scheme"],
  ["https://me@example.com/", "userinfo"],
  ["https://:pw@example.com/", "userinfo"],
  ["https://example.com:80/", "port"],
  ["https://example.com:0/", "port"],
  ["https://metadata/", "private_name"],
  ["https://intranet/", "private_name"],
  ["https://a.b.LOCALHOST./", "private_name"],
  ["https://lo\u00adcalhost/", "private_name"],
  ["https://router.home.arpa/", "private_name"],
  ["https://wiki.corp/", "private_name"],
  ["https://api.default.svc/", "private_name"],
  ["https://api.default.svc.cluster.local/", "private_name"],
  ["https://metadata.goog/", "private_name"],
  ["https://metadata.google。internal/", "private_name"],
  ["https://0/", "private_address"],
  ["https://0x7f.1/", "private_address"],
  ["https://168.63.129.16/", "private_address"],
  ["https://168.63.129.17/", null],
  ["https://[::]/", "private_address"],
  ["https://[2002:808:808::]/", "private_address"],
  ["https://[5f00::1]/", "private_address"],
  ["https://example.internal.com/", null],
  ["https://localhost.example.com/", null],
  ["https://notlocalhost.com/", null],
  ["https://mylocal.dev/", null],
  ["https://example.com/?u=https://me:pw@10.0.0.1:80/", null],
])("%s runs into %s", (url, expected) => expect(rule(url)).toBe(expected));

describe("domain lists", () => {
  it.each([
    ["https://x.com/", { denied_domains: ["x.com"] }, "denied_domains"],
    ["https://a.x.com/", { denied_domains: ["x.com"] }, null],
    ["https://a.x.com/", { denied_domains: ["*.x.com"] }, "denied_domains"],
    ["https://x.com/", { denied_domains: ["*.x.com"] }, null],
    ["https://ax.com/", { denied_domains: ["*.x.com"] }, null],
    ["https://X.com./", { denied_domains: ["X.COM"] }, "denied_domains"],
    ["https://bücher.example/", { denied_domains: ["bücher.example"] }, "denied_domains"],
    ["https://8.8.8.8/", { denied_domains: ["8.8.8.8"] }, "denied_domains"],
    ["https://[2606:4700::1]/", { denied_domains: ["2606:4700:0::1"] }, "denied_domains"],
    ["https://x.com/", { allowed_domains: ["x.com"] }, null],
    ["https://y.com/", { allowed_domains: ["x.com"] }, "allowed_domains"],
    ["https://a.b.x.com/", { allowed_domains: ["*.x.com"] }, null],
    ["https://8.8.8.8/", { allowed_domains: ["8.8.8.8"] }, "allowed_domains"],
    ["https://a.x.com/", { allowed_domains: ["*.x.com"], denied_domains: ["a.x.com"] }, "denied_domains"],
    // A list opens nothing that is closed.
    ["https://localhost/", { allowed_domains: ["localhost"] }, "private_name"],
  ])("%s with %j", (url, config, expected) => expect(rule(url, config)).toBe(expected));

  it.each(["https://x.com", "x.com/path", "x.com:443", "*", "*.*.com", "a.*.com", "me@x.com", "", "*."])("%j is no domain", (entry) => {
    expect(scrapeConfig().safeParse({ denied_domains: [entry] }).success).toBe(false);
  });
});

describe("limits", () => {
  it.each([
    ["max_body_bytes", 16 * 1024 * 1024, 16 * 1024 * 1024 + 1],
    ["timeout", 0.1, 0.09],
    ["timeout", 600, 601],
  ])("%s may be %d, not %d", (key, good, bad) => {
    expect(scrapeConfig().safeParse({ [key]: good }).success).toBe(true);
    expect(scrapeConfig().safeParse({ [key]: bad }).success).toBe(false);
  });
  it("names the smallest time that is taken", () => {
    expect(scrapeConfig().safeParse({ timeout: 0 }).error?.message).toContain("0.1");
  });
});
