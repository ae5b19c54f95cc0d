import { describe, expect, it } from "vitest";
import { otlpSecrets, readOtlpHeaders } from "../../../runtime/events/otlp-headers.ts";
import { readOtlpSettings, shownTarget, wantsOtlp } from "./otlp-settings.ts";

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" };

describe("The variables of OpenTelemetry", () => {
  it("ask for something only with an address", () => {
    expect(wantsOtlp({})).toBe(false);
    expect(wantsOtlp({ OTEL_TRACES_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_HEADERS: "a=b" })).toBe(false);
    expect(wantsOtlp({ OTEL_EXPORTER_OTLP_ENDPOINT: "  " })).toBe(false);
    expect(wantsOtlp(ENDPOINT)).toBe(true);
    expect(wantsOtlp({ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "http://127.0.0.1/x" })).toBe(true);
    expect(wantsOtlp({ ...ENDPOINT, OTEL_SDK_DISABLED: "True" })).toBe(false);
  });

  it("are taken with the defaults of the specification", () => {
    const { traces, metrics, problems, ...rest } = readOtlpSettings(ENDPOINT);
    expect(rest).toEqual({ intervalMs: 60_000, temporality: "cumulative" });
    expect(problems).toEqual([]);
    expect(traces).toEqual({
      url: new URL("http://127.0.0.1:4318/v1/traces"),
      headers: {},
      protocol: "http/protobuf",
      timeoutMs: 10_000,
      compression: "none",
      tls: {},
    });
    expect(shownTarget(metrics!)).toBe("http://127.0.0.1:4318/v1/metrics (http/protobuf)");
  });

  it("of one signal win over those of all, and its address is taken as it is", () => {
    const { traces, metrics } = readOtlpSettings({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://c.example/spans?key=hidden",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
      OTEL_EXPORTER_OTLP_TIMEOUT: "5",
      OTEL_EXPORTER_OTLP_METRICS_TIMEOUT: "7",
      OTEL_EXPORTER_OTLP_CERTIFICATE: "/ca.pem",
    });
    expect([traces!.url.href, traces!.protocol, traces!.timeoutMs]).toEqual(["https://c.example/spans?key=hidden", "http/protobuf", 5]);
    expect(shownTarget(traces!)).not.toContain("hidden");
    expect([metrics!.url.pathname, metrics!.protocol, metrics!.timeoutMs]).toEqual(["/v1/metrics", "http/json", 7]);
    expect(traces!.tls).toEqual({ ca: "/ca.pem" });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /grpc is not spoken here/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "thrift" }, /it is unknown/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "127.0.0.1:4318" }, /no address that begins with http/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "file:///etc" }, /no address that begins with http/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "http://me:hidden@127.0.0.1" }, /holds a name or a password/],
    [{ OTEL_TRACES_EXPORTER: "zipkin", OTEL_METRICS_EXPORTER: "none" }, /OTEL_TRACES_EXPORTER can be otlp or none/],
  ])("that cannot be followed send nothing, and are told of without their values: %j", (more, words) => {
    const { traces, metrics, problems } = readOtlpSettings({ ...ENDPOINT, ...more });
    expect([traces, metrics]).toEqual([null, null]);
    expect(problems.join()).toMatch(words);
    expect(problems.join()).not.toContain("hidden");
  });

  it.each([
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "soon"],
    ["OTEL_EXPORTER_OTLP_TIMEOUT", "99999999"],
    ["OTEL_METRIC_EXPORT_INTERVAL", "0"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
    ["OTEL_EXPORTER_OTLP_COMPRESSION", "zstd"],
    ["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "later"],
  ])("that are out of range are told of, and the usual value is taken: %s=%s", (name, value) => {
    const usual = readOtlpSettings(ENDPOINT);
    const { problems, ...rest } = readOtlpSettings({ ...ENDPOINT, [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(name);
    expect({ ...rest, problems: [] }).toEqual(usual);
  });
});

describe("Headers of a collector", () => {
  it("are read as the variables write them, and what is none is told of by its place", () => {
    const problems: string[] = [];
    const texts = ["x-a=1", "Authorization=Bearer%20hidden, x-a=2,broken-hidden,b%C3%A4d=hidden,host=hidden,c=a%0d%0ahidden: 1,d=%"];
    expect(readOtlpHeaders(texts, problems)).toEqual({ authorization: "Bearer hidden", "x-a": "1" });
    expect(problems).toHaveLength(5);
    expect(problems.join()).not.toContain("hidden");
  });

  it("are known to those who hide secrets, without the word before them", () =>
    expect(
      otlpSecrets({ OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20one,x=two", OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x=three" }),
    ).toEqual(["one", "two", "three"]));
});
