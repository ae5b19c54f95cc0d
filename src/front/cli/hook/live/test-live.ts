import { delimiter, dirname, join } from "node:path";
import type { ClientPlan } from "../../../../hook/install/client-plan.ts";
import type { InstallWish } from "../../../../hook/install/install-hooks.ts";
import type { LiveClient } from "../../../../hook/live/live-clients.ts";
import type { ClientVersion } from "../client-version.ts";
import type { PrivatePlace } from "./private-place.ts";
import { LIVE_MARK, type LiveEnd, type LiveStart, startLiveClient } from "./start-live-client.ts";

/** What was tried with the real client, and what came of it. */
export interface LiveTrial {
  readonly what: string;
  readonly ok: boolean;
  readonly saw: string;
  /** What the model read back of the call. */
  readonly read: string | null;
}

export interface LiveWish {
  readonly plan: ClientPlan;
  readonly client: LiveClient;
  readonly version: ClientVersion & { readonly program: string };
  /** As the hooks are installed. */
  readonly installed: Pick<InstallWish, "mode" | "onFailure" | "program">;
  readonly signal: AbortSignal;
}

const LIMIT_MS = 120_000;
const RULES = `[[tools.permissions.bash]]
pattern = "touch ${LIVE_MARK.denied}*"
action = "deny"

[[tools.permissions.bash]]
pattern = "*"
action = "allow"
`;
const ZEPHS_WORDS = /zeph \w+: /;
const NO_ANSWER = /zeph did not answer/;
const MOST_READ = 300;

/** Two starts of the client: one with the hooks as they are, one with a program that crashes and then is gone. */
export async function testLive(wish: LiveWish): Promise<readonly LiveTrial[]> {
  const { plan, client, version, installed, signal } = wish;
  // A client that is a script of Node's finds its Node where it lies itself, or on PATH.
  const path = [dirname(version.program), process.env.PATH ?? ""].join(delimiter);
  const common = { plan, client, program: version.program, path, rules: RULES, limitMs: LIMIT_MS, signal };
  const isWalled = installed.mode === "walls";
  const judged = await startLiveClient({
    ...common,
    wish: () => ({ ...installed, scope: "user" }),
    files: scriptFor,
    steps: [
      { kind: "bash", command: `touch ${LIVE_MARK.denied}` },
      { kind: "bash", command: `sh ${SCRIPT}` },
    ],
  });
  if (signal.aborted) return [];
  const trials = [denied(judged), isWalled ? walled(judged) : allowed(judged)];
  const broken = await startLiveClient({ ...common, ...failing(installed) });
  return signal.aborted ? trials : [...trials, ...failures(broken, installed.onFailure)];
}

const SCRIPT = "zeph-go.sh";
/** A script of the project's, for some clients have rules of their own about commands that name other folders. */
const scriptFor = ({ outside }: PrivatePlace) => ({
  [SCRIPT]: `touch ${LIVE_MARK.allowed}; touch '${join(outside, LIVE_MARK.allowed)}'; true\n`,
});

/** The same hooks with a program that ends by a signal at the first call, and by then has removed itself. */
function failing(installed: LiveWish["installed"]): Pick<LiveStart, "wish" | "files" | "steps"> {
  return {
    wish(place) {
      place.put("zeph-hook", '#!/bin/sh\nrm -f "$0"\nkill -SEGV $$\n', 0o700);
      return { ...installed, scope: "user", program: [join(place.home, "zeph-hook")] };
    },
    files: () => ({}),
    steps: [
      { kind: "bash", command: `touch ${LIVE_MARK.crashed}` },
      { kind: "bash", command: `touch ${LIVE_MARK.gone}` },
    ],
  };
}

const trial = (what: string, end: LiveEnd, n: number, found: { readonly ok: boolean; readonly saw: string }): LiveTrial => ({
  what,
  ...(end.failed === null ? found : { ok: false, saw: end.failed }),
  read: end.read(n)?.slice(0, MOST_READ) ?? null,
});

function denied(end: LiveEnd): LiveTrial {
  const isRead = ZEPHS_WORDS.test(end.read(0) ?? "");
  const saw = end.isThere(LIVE_MARK.denied)
    ? "it ran"
    : isRead
      ? "it was not run, and the model read why"
      : "it was not run, but the model did not read why";
  return trial("a call that a rule denies", end, 0, { ok: !end.isThere(LIVE_MARK.denied) && isRead, saw });
}

function allowed(end: LiveEnd): LiveTrial {
  const ok = end.isThere(LIVE_MARK.allowed);
  return trial("a call that the rules allow", end, 1, { ok, saw: ok ? "it ran" : "it was not run" });
}

function walled(end: LiveEnd): LiveTrial {
  const isRewritten = end.audit.some(({ rewritten }) => rewritten === true);
  const isHeld = !end.isThere(LIVE_MARK.allowed, "outside");
  const saw = !end.isThere(LIVE_MARK.allowed)
    ? "it was not run"
    : `it ran ${isRewritten ? "as another command" : "as it was written"}, and ${isHeld ? "wrote nothing outside of its folder" : "wrote outside of its folder"}`;
  return trial("a command that is put behind the walls", end, 1, { ok: end.isThere(LIVE_MARK.allowed) && isRewritten && isHeld, saw });
}

function failures(end: LiveEnd, onFailure: InstallWish["onFailure"]): readonly LiveTrial[] {
  const one = (what: string, n: number, mark: string): LiveTrial => {
    const ran = end.isThere(mark);
    if (onFailure === "allow")
      return trial(what, end, n, {
        ok: ran,
        saw: ran ? "the call was made, which is what --on-failure allow wants" : "the call was not made",
      });
    const isRead = NO_ANSWER.test(end.read(n) ?? "");
    const saw = ran
      ? "the call was made"
      : isRead
        ? "the call was not made, and the model read why"
        : "the call was not made, but the model did not read why";
    return trial(what, end, n, { ok: !ran && isRead, saw });
  };
  return [one("a hook that crashes", 0, LIVE_MARK.crashed), one("a hook whose program is gone", 1, LIVE_MARK.gone)];
}
