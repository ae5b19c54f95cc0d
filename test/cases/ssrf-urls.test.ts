import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scrapeConfig } from "../../src/host/web/config.ts";
import { judgeUrl } from "../../src/host/web/url.ts";
import { createRuntime, type Zeph } from "../../src/index.ts";
import { rawSite, type Site } from "../web/walls-server.ts";
import { workspace } from "../workspace.ts";
import { cases, snake } from "./cases.ts";

interface Case {
  readonly id: string;
  readonly class: string;
  readonly input: {
    readonly url: string;
    readonly dns?: Record<string, string[]>;
    readonly dns_sequence?: Record<string, string[][]>;
    readonly http?: Record<string, { status: number; location?: string; headers?: Record<string, string>; body?: string }>;
  };
  readonly expected: "allow" | "deny" | "ambiguous";
  readonly category_any_of?: string[];
  readonly must_connect_only_to?: string[];
  readonly why: string;
}

/**
 * What is decided where the rule leaves it open. Spellings the URL standard repairs are read as it repairs them; a port that is not listed, a user
 * name, private-use zones (`corp`, `home`, `lan`) and names with an empty label are refused; so is every special-purpose range, the ones that carry
 * an IPv4 address whole. A redirect that names no place is a failure, and only a redirect leads to a second request.
 */
const DECIDED: Record<string, string[]> = {
  "ssrf-025": ["93.184.215.14"],
  "ssrf-067": ["policy_blocked"],
  "ssrf-071": ["policy_blocked"],
  "ssrf-119": ["policy_blocked"],
  "ssrf-230": ["policy_blocked"],
  "ssrf-232": ["policy_blocked"],
  "ssrf-234": ["policy_blocked"],
  "ssrf-235": ["policy_blocked"],
  "ssrf-237": ["policy_blocked"],
  "ssrf-245": ["policy_blocked"],
  "ssrf-258": ["policy_blocked"],
  "ssrf-287": ["policy_blocked"],
  "ssrf-341": ["permanent_failure"],
  "ssrf-351": ["93.184.215.14"],
};

const all = cases<Case>("ssrf-urls.jsonl");
let site: Site;
let answers: Case["input"]["http"] = {};
beforeAll(async () => {
  site = await rawSite((socket) => {
    let head = "";
    socket.on("data", (chunk) => {
      head += chunk.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      const [, path, host] = /^GET (\S+) HTTP\/1\.1\r\n(?:.*\r\n)*?host: (\S+)/i.exec(head) ?? [];
      const { status = 200, location, headers = {}, body = "ok" } = answers?.[`https://${host}${path}`] ?? {};
      const lines = Object.entries({ ...headers, ...(location !== undefined && { location }) }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      socket.end(`HTTP/1.1 ${status} Said\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n${lines.join("")}\r\n${body}`);
    });
  });
});
afterAll(() => site.close());

let zeph: Zeph;
let current: Case["input"];
let sequence: Record<string, string[][]> = {};
const place = workspace();
beforeAll(async () => {
  zeph = await createRuntime({
    cwd: place.work,
    store: "memory",
    config: {
      audit: { path: join(place.state, "audit.jsonl") },
      tools: { permissions: { fetch: [{ pattern: "*", action: "allow" }] }, result_cache: { enabled: false }, retry: { max_attempts: 0 } },
    },
    web: {
      lookup: async (name) => sequence[name]?.shift() ?? current.dns?.[name] ?? [],
      dial: (to) => site.dial(to),
    },
  });
});
afterAll(async () => {
  await zeph.close();
  place.remove();
});

async function run({ input }: Case) {
  current = input;
  sequence = structuredClone(input.dns_sequence ?? {});
  answers = input.http ?? {};
  site.dialled.splice(0);
  const judged = await zeph.judge("fetch", { url: input.url });
  const outcome = await zeph.call("fetch", { url: input.url });
  return { judged, outcome, dialled: site.dialled.map(({ address }) => address) };
}

describe.each(all)("$id $input.url", (each) => {
  it(each.why, async () => {
    const { judged, outcome, dialled } = await run(each);
    const [decided] = DECIDED[each.id] ?? [];
    const allowed = each.must_connect_only_to ?? (decided?.includes(".") ? [decided] : null);
    if (each.expected === "allow" || allowed) {
      expect(judged.verdict).toBe("allow");
      expect(outcome).toMatchObject({ ok: true });
      expect(dialled.length).toBeGreaterThan(0);
      for (const address of dialled) expect(allowed).toContain(address);
      return;
    }
    const category = outcome.ok ? "none" : outcome.error.category;
    expect(decided === undefined ? each.category_any_of!.map(snake) : [decided]).toContain(category);
    expect(dialled).toHaveLength(Object.keys(each.input.http ?? {}).length);
    for (const address of dialled) expect(Object.values(each.input.dns ?? each.input.dns_sequence!).flat(2)).toContain(address);
    if (category === "policy_blocked" && !DNS_TELLS.includes(each.class)) expect(judged.verdict).toBe("deny");
  });
});

/** Only asking tells. */
const DNS_TELLS = ["dns", "rebinding", "redirect", "hostname"];

it("every open case is decided, and no other", () => {
  expect(Object.keys(DECIDED)).toEqual(all.filter(({ expected }) => expected === "ambiguous").map(({ id }) => id));
});

it("the refusal comes before anything is looked up, wherever the URL alone tells", () => {
  const limits = scrapeConfig().parse({});
  const literal = all.filter(({ class: kind, expected }) => expected === "deny" && !DNS_TELLS.includes(kind));
  expect(literal.length).toBeGreaterThan(60);
  for (const { input } of literal) expect(judgeUrl(input.url, limits)).not.toBeNull();
});
