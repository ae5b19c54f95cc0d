import { wallsText } from "../../../core/ports/walls.ts";
import type { Desk, Diagnosis } from "../../../runtime/create.ts";
import { checkModelKey } from "../../../runtime/first-run/check-key.ts";
import { findDefaultModel } from "../../../runtime/first-run/known-providers.ts";
import { type DoctorFinding, failLine, okLine, warnLine } from "./finding.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export function wallsFinding({ walls, canaries, advice }: Diagnosis): DoctorFinding {
  const open = canaries.filter(({ holds }) => holds !== true);
  const text = `${wallsText(walls)}, ${canaries.length - open.length} of ${canaries.length} attempts stopped`;
  const todo = walls.reason ?? advice[0] ?? "See below what was not stopped, and docs/sandbox.md.";
  return open.length === 0 ? okLine("walls", text) : failLine("walls", text, todo);
}

const PROXIES = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];

/** The variables by name, and hosts at most: a proxy's address may hold a password. */
export function findNetwork({ models }: Diagnosis, env: Variables, asks: "online" | "offline"): readonly DoctorFinding[] {
  const names = PROXIES.flatMap((name) => [name, name.toLowerCase()]).filter((name) => env[name]?.trim());
  const proxies = [...new Set(models.map(({ proxy }) => proxy).filter((proxy) => proxy !== null))];
  const way =
    names.length === 0
      ? "no proxy variables"
      : `${names.join(", ")} set${proxies.length > 0 ? `; models through ${proxies.join(", ")}` : ""}`;
  if (asks === "offline") return [okLine("network", `${way}; nobody was asked (--online asks)`)];
  const away = models.filter(({ answers }) => answers !== true);
  if (away.length === 0) return [okLine("network", way)];
  return [
    failLine(
      "network",
      `${way}; ${away.map(({ provider, detail }) => `${provider}: ${detail}`).join(", ")}`,
      "Check the network, the proxy variables and the address of the provider.",
    ),
  ];
}

/** The model of a chat that names none. It is asked only with --online: for its list of models, with the key. */
export async function findModelState(
  { loaded }: Pick<Desk, "loaded">,
  {
    keys,
    env,
    asks,
  }: { readonly keys: (name: string) => string | undefined; readonly env: Variables; readonly asks: "online" | "offline" },
): Promise<DoctorFinding> {
  const model = findDefaultModel(loaded.config.llm, keys);
  if (model === null)
    return warnLine("model", "none: no provider is configured and no key is there", "Run zeph at a terminal: it offers what there is.");
  const words = `${model.provider.name}/${model.provider.model}`;
  if (model.provider.type === "script") return okLine("model", `${words}, from a script`);
  if (model.isKeyMissing)
    return failLine("model", `${words} has no key in ${model.keyName}`, `Set ${model.keyName}, or run zeph and paste the key.`);
  if (asks === "offline") return okLine("model", `${words}; it was not asked (--online asks)`);
  const key = model.keyName === undefined ? null : (keys(model.keyName) ?? null);
  const check = await checkModelKey({ ...model.provider, key }, env, new AbortController().signal);
  if (check.result !== "accepted") return failLine("model", `${words}: ${check.result} (${check.detail})`, TODO[check.result]);
  const isListed =
    check.models.length === 0 || check.models.some((name) => name === model.provider.model || name.endsWith(`/${model.provider.model}`));
  if (isListed) return okLine("model", `${words} answers`);
  return warnLine(
    "model",
    `the key is taken, and ${model.provider.model} is not in the list of models`,
    "Check the name of the model in your configuration.",
  );
}

const TODO = {
  refused: "Make a new key at the provider, and paste it with: zeph",
  unreachable: "Check the network and the address.",
  "wrong address": "Check base_url, or the variable that names the address.",
};
