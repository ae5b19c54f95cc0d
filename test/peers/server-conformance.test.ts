import { execFile } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HttpServed } from "../../src/front/mcp-server/http.ts";
import { conformanceServer } from "../mcp/conformance-server.ts";
import { expected, passedIn, type Run, scenarios } from "./conformance.ts";
import { conformance, havePeers, node24 } from "./peers.ts";

const list = expected().server!;
const REVISIONS = ["2025-03-26", "2025-11-25", "2026-07-28"];

/** All scenarios of a revision, one after the other, against our server. */
const run = (url: string, revision: string): Promise<Run> =>
  new Promise((resolve) => {
    const args = [conformance(), "server", "--url", url, "--suite", "all", "--spec-version", revision];
    execFile(node24(), args, { encoding: "utf8", maxBuffer: 50_000_000, timeout: 25_000 }, (_, out, err) =>
      resolve({ passed: passedIn(out), said: `${out}\n${err}` }),
    );
  });

describe.skipIf(!havePeers)("our server in the conformance suite", () => {
  const runs: Record<string, Run> = {};
  let served: HttpServed;
  beforeAll(async () => {
    served = await conformanceServer();
    for (const revision of REVISIONS) runs[revision] = await run(served.url, revision);
  });
  afterAll(() => served.close());

  it("is written down for every scenario and every revision that the suite has", () => {
    const written = Object.fromEntries(
      Object.entries(list).map(([name, { passes = [], fails = [] }]) => [name, [...passes, ...fails].sort()]),
    );
    expect(written).toEqual(scenarios("server"));
    expect(Object.entries(list).filter(([, { fails, note }]) => fails && !note)).toEqual([]);
  });

  it.each(REVISIONS)("passes what is written down for %s, and nothing besides", (revision) => {
    const { passed, said } = runs[revision]!;
    const written = Object.entries(list).filter(([, { passes }]) => passes?.includes(revision));
    expect(written.length).toBeGreaterThan(0);
    expect(
      written.filter(([name]) => passed[name] !== true).map(([name]) => name),
      said,
    ).toEqual([]);
    expect(Object.keys(passed).filter((name) => passed[name] && !list[name]?.passes?.includes(revision))).toEqual([]);
  });

  it("keeps strangers out at every revision", () => {
    expect(list["dns-rebinding-protection"]!.passes).toEqual(["2025-11-25", "2026-07-28"]);
  });
});
