import { version } from "../../../files/version.ts";
import { wantsContent } from "../../../runtime/events/telemetry.ts";
import { createOtlpSender } from "../otlp/otlp-sender.ts";
import { isDisabled, type OtlpTarget, type OtlpVariables, readOtlpSettings, shownTarget, wantsOtlp } from "../otlp/otlp-settings.ts";
import { type DoctorFinding, okLine, warnLine } from "./finding.ts";

const LONGEST_MS = 3000;
/** A request with nothing in it: every collector takes it. */
const NOTHING = { "http/protobuf": new Uint8Array(), "http/json": Buffer.from("{}") };

/** Where spans and metrics go. A collector on this machine is asked whether it takes them, another one only with --online. */
export async function findTelemetry(env: OtlpVariables, asks: "online" | "offline"): Promise<readonly DoctorFinding[]> {
  if (!wantsOtlp(env)) return [okLine("telemetry", isDisabled(env) ? "off: OTEL_SDK_DISABLED is true" : OFF)];
  const { traces, metrics, problems } = readOtlpSettings(env);
  const wrong = problems.map((text) => warnLine("telemetry", text, "See docs/telemetry.md."));
  const content = wantsContent(env) ? "; WITH what is said and printed, redacted" : "";
  const targets = [["spans", traces] as const, ["metrics", metrics] as const];
  const found = targets.flatMap(([what, target]) => (target ? [lineOf(what, target, what === "spans" ? content : "", asks)] : []));
  return [...wrong, ...(await Promise.all(found))];
}

const THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const OFF = "off: OTEL_EXPORTER_OTLP_ENDPOINT is not set";

async function lineOf(what: string, target: OtlpTarget, content: string, asks: "online" | "offline"): Promise<DoctorFinding> {
  const words = `${what} to ${shownTarget(target)}${content}`;
  if (asks === "offline" && !THIS_MACHINE.test(target.url.hostname))
    return okLine("telemetry", `${words}; it was not asked (--online asks)`);
  try {
    const sender = createOtlpSender({ ...target, timeoutMs: Math.min(target.timeoutMs, LONGEST_MS) }, version());
    sender.hurry();
    await sender.send(NOTHING[target.protocol]).finally(sender.stop);
    return okLine("telemetry", `${words}; it answers`);
  } catch (error) {
    return warnLine(
      "telemetry",
      `${words}: ${(error as Error).message}`,
      "Work goes on without it. Check the address, and whether a collector runs.",
    );
  }
}
