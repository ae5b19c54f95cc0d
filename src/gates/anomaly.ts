import * as z from "zod";
import { type Gate, ONLY_CALLS } from "../core/gate/gate.ts";
import { PASS, type Verdict } from "../core/gate/verdict.ts";
import type { Outcome } from "../core/layer.ts";
import { setting } from "../core/setting.ts";
import { keepRecent } from "../text/keep-recent.ts";
import { makeOnce } from "../text/make-once.ts";
import { missedVerdict, toolVerdict } from "./anomaly-failure.ts";
import { spanText } from "./time-span.ts";

export const anomalyConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(true), "Watch the failures of each tool.", "on"),
      window_size: setting(
        z.int().min(10).max(10_000).default(20),
        "How many of a tool's last calls are looked at; it is judged once there are 10.",
      ),
      failure_threshold: setting(z.number().min(0).max(1).default(0.7), "The share of failures above which a tool is reported.", "smaller"),
      auto_block: setting(z.boolean().default(true), "Refuse such a tool until `cooldown_secs` are over, or until `/unblock`.", "on"),
      cooldown_secs: setting(
        z.number().min(1).max(604_800).default(600),
        "Seconds after which a blocked tool comes back by itself. Its failures so far are forgotten then.",
      ),
    })
    .prefault({}),
);
export type AnomalyConfig = z.output<ReturnType<typeof anomalyConfig>>;

export interface AnomalyParts {
  /** Whether a tool is one of our own, which fails because of what it was asked, or was brought by a server or a program. */
  from(tool: string): "built in" | "brought";
  /** The tool is not believed any more, up to a moment in milliseconds. */
  block(tool: string, until: number): void;
  readonly warn: (message: string) => void;
  readonly now: () => number;
}

export interface AnomalyGate extends Gate {
  /** A call that never reached the door: its arguments were wrong. `tool` is the name of a tool that exists. */
  missed(tool: string, outcome: Outcome): void;
  /** A person looked at the tool: its count begins anew. */
  forget(tool: string): void;
}

/** The last calls of one tool. */
interface Window {
  /** Whether each failed, the oldest first. */
  readonly calls: boolean[];
  failed: number;
  /** What was done about it, so that it is done and said once. */
  told: "nothing" | "warned" | "blocked";
  /** When a blocked tool comes back. */
  until: number;
}

export interface AnomalyMemory {
  /** By tool, the one that was called longest ago first. */
  readonly windows: Map<string, Window>;
}
export const anomalyMemory = (): AnomalyMemory => ({ windows: new Map() });

/** Fewer calls say nothing about a tool. */
const FEWEST = 10;
/** More tools than anybody has. */
const MOST_TOOLS = 1000;
const MOST_NAMED = 5;
/** A tool so close to the threshold is shown before it is reported. */
const NEAR = 0.75;

/** Watches how often each tool fails. It refuses nothing itself: a tool that fails too often is not trusted any more, and that gate refuses it. */
export function createAnomalyGate(config: AnomalyConfig, parts: AnomalyParts, { windows }: AnomalyMemory): AnomalyGate {
  const forget = (tool: string) => void windows.delete(tool);
  if (!config.enabled) return { name: "anomaly", alsoJudges: ONLY_CALLS, judge: () => PASS, missed() {}, forget, state: () => "off" };
  const { window_size: size, failure_threshold: threshold, auto_block, cooldown_secs } = config;

  /** A tool that came back is judged by what it does from then on. */
  const windowOf = (tool: string): Window | undefined => {
    const window = windows.get(tool);
    if (window?.told !== "blocked" || parts.now() < window.until) return window;
    windows.delete(tool);
    return undefined;
  };
  const add = (tool: string, failed: boolean) => {
    const window: Window = windowOf(tool) ?? { calls: [], failed: 0, told: "nothing", until: 0 };
    keepRecent(windows, tool, window, MOST_TOOLS);
    window.calls.push(failed);
    if (failed) window.failed += 1;
    // More than one goes when the window was made smaller meanwhile.
    while (window.calls.length > size) if (window.calls.shift()) window.failed -= 1;
    react(tool, window);
  };
  const isTooMuch = (window: Window) => window.calls.length >= FEWEST && rateOf(window) > threshold;
  const react = (tool: string, window: Window) => {
    // A tool that is blocked stays so for its time, whatever calls that were under way bring.
    if (window.told === "blocked") return;
    if (!isTooMuch(window)) window.told = "nothing";
    else if (auto_block) {
      window.told = "blocked";
      window.until = parts.now() + cooldown_secs * 1000;
      parts.block(tool, window.until);
      const back = `It is not used for ${spanText(cooldown_secs)} (tools.anomaly.cooldown_secs). Find out why; \`/unblock ${tool}\` brings it back at once.`;
      parts.warn(alarm(tool, window, threshold, back));
    } else if (window.told === "nothing") {
      window.told = "warned";
      const still = `It is still used, because tools.anomaly.auto_block is false. \`/unblock ${tool}\` begins its count anew.`;
      parts.warn(alarm(tool, window, threshold, still));
    }
  };
  const feed = (tool: string, verdict: ReturnType<typeof toolVerdict>) => {
    if (verdict !== "says nothing") add(tool, verdict === "failed");
  };

  return {
    name: "anomaly",
    alsoJudges: ONLY_CALLS,
    judge({ tool }): Verdict {
      const window = windowOf(tool.name);
      return window && window.failed > 0 ? { kind: "pass", rule: `${window.failed} of ${window.calls.length} failed` } : PASS;
    },
    settled: ({ tool }, outcome) => feed(tool.name, toolVerdict(outcome, parts.from(tool.name))),
    missed: (tool, outcome) => feed(tool, missedVerdict(outcome)),
    forget,
    state() {
      const all = [...windows].filter(([tool]) => windowOf(tool));
      const blocked = all.flatMap(([tool, { told }]) => (told === "blocked" ? [tool] : []));
      const near = all.flatMap(([tool, window]) => (isNear(window, threshold) ? [`${tool} ${percent(window)}`] : []));
      return [
        `window ${size}, threshold ${threshold}, ${auto_block ? "blocks" : "warns"}`,
        ...(blocked.length > 0 ? [`blocked: ${named(blocked)}`] : []),
        ...(near.length > 0 ? [`failing: ${named(near)}`] : []),
      ].join("; ");
    },
  };
}

const rateOf = ({ calls, failed }: Window) => failed / calls.length;
const percent = (window: Window) => `${Math.round(rateOf(window) * 100)} %`;
const isNear = (window: Window, threshold: number) =>
  window.told !== "blocked" && window.failed > 0 && window.calls.length >= FEWEST && rateOf(window) >= NEAR * threshold;

const alarm = (tool: string, window: Window, threshold: number, then: string) =>
  `Critical: ${tool} failed in ${window.failed} of its last ${window.calls.length} calls (${percent(window)}), above tools.anomaly.failure_threshold = ${threshold}. ${then}`;

const named = (names: readonly string[]) =>
  names.length > MOST_NAMED ? `${names.slice(0, MOST_NAMED).join(", ")} and ${names.length - MOST_NAMED} more` : names.join(", ");
