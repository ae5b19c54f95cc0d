import { afterAll, describe, expect, it } from "vitest";
import { available } from "../sandbox/support.ts";
import { workspace } from "../workspace.ts";

const place = workspace();
afterAll(() => place.remove());

/** DNS that notes which names it was asked for. */
function listening() {
  const asked: string[] = [];
  const lookup = async (name: string) => {
    asked.push(name);
    throw new Error("no such name");
  };
  return { asked, web: { lookup } };
}
const URL = "https://data.told.example/";
const allow = { permissions: { fetch: [{ pattern: "*", action: "allow" as const }] }, retry: { max_attempts: 0 } };

describe("A name is told to nobody", () => {
  it.each([
    ["that tools.scrape denies", { ...allow, scrape: { denied_domains: ["*.told.example"] } }, undefined],
    ["that a rule denies", { permissions: { fetch: [{ pattern: "*", action: "deny" as const }] } }, undefined],
    ["that nobody can be asked about", {}, undefined],
    ["that a person said no to", {}, () => "no" as const],
  ])("%s", async (_what, tools, confirm) => {
    const { asked, web } = listening();
    const zeph = await place.runtime({ config: { tools }, store: "memory", web, ...(confirm && { confirm }) });
    expect((await zeph.call("fetch", { url: URL })).ok).toBe(false);
    await zeph.close();
    expect(asked).toEqual([]);
  });

  it("but by a call that was let in, which asks for it", async () => {
    const { asked, web } = listening();
    const zeph = await place.runtime({ config: { tools: allow }, store: "memory", web });
    await zeph.call("fetch", { url: URL });
    await zeph.close();
    expect(asked).toEqual(["data.told.example"]);
  });

  it.runIf(available)("by a command behind walls with a closed network: no resolver can be reached", async () => {
    const zeph = await place.runtime({ config: {}, store: "memory" });
    const outcome = await zeph.call("bash", {
      command: "getent hosts example.com; echo ended $?; ls -A /run | wc -l; cat /etc/resolv.conf",
    });
    await zeph.close();
    expect(outcome.output?.text).toMatch(/^ended 2\n0\n/);
  });
});
