import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { says, scripted } from "../e2e/scripted.ts";
import { box } from "../e2e/zeph.ts";
import { receiver } from "../otlp/receiver.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { ask, newToken } from "./gateway-support.ts";

const url = hasPostgres ? await makeSchema() : "";
const TRACE = "ab".repeat(16);
const HEADER = `00-${TRACE}-${"cd".repeat(8)}-01`;

describe.skipIf(!hasPostgres)("A fleet with a collector", () => {
  it("sends one trace from the gateway and the worker, and what it counts", async () => {
    const collector = await receiver();
    const here = scripted(box(), [[says("All done.")]], "[fleet]\nlease_ms = 3000\npoll_ms = 200\n");
    const file = join(here.env.XDG_CONFIG_HOME!, "zeph", "config.toml");
    here.config(readFileSync(file, "utf8").replace('"turns.json"', JSON.stringify(join(here.cwd, "turns.json"))));
    Object.assign(here.env, {
      ZEPH_STORE: url,
      XDG_DATA_HOME: join(here.root, "data"),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: "200",
      OTEL_METRIC_EXPORT_INTERVAL: "500",
    });
    const tenant = newTenant();
    const ann = await newToken(url, tenant, "ann", "user");
    const gateway = here.start(["serve", "--port", "0"]);
    let said = "";
    gateway.stderr.on("data", (data) => {
      said += data;
    });
    await expect.poll(() => said).toMatch(/^zeph serve: \S+ /m);
    here.start(["worker", "--tenant", tenant]);
    await ask(/^zeph serve: (\S+) /m.exec(said)![1]!, ann, "POST", "/v1/tasks", { text: "A private wish" }, { traceparent: HEADER });
    const span = (name: string) => collector.spans().find((one) => one.name === name && one.traceId === TRACE);
    await expect.poll(() => span("run_task")).toBeDefined();
    await expect.poll(() => span("submit_task")).toBeDefined();
    expect(span("submit_task")!.parentSpanId).toBe("cd".repeat(8));
    expect(span("run_task")!.parentSpanId).toBe(span("submit_task")!.spanId);
    expect(span("invoke_agent zeph")!.parentSpanId).toBe(span("run_task")!.spanId);
    await expect.poll(() => collector.points().map(({ metric }) => metric)).toContain("zeph.fleet.take.duration");
    for (const { text } of collector.requests) expect(text).not.toContain("private");
  });
});
