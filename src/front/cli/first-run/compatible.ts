import { saveKey } from "../../../config/edit/keys.ts";
import { saveProvider } from "../../../config/edit/providers.ts";
import { checkModelKey } from "../../../runtime/first-run/check-key.ts";
import { attempt } from "../../../text/attempt.ts";
import { visible } from "../../../text/visible.ts";
import type { AfterFirstRun } from "./first-run.ts";
import { askForKey, checkWords, type FirstQuestions } from "./take-key.ts";

const MOST_SHOWN = 20;
const NAME = "compatible";
const KEY_NAME = "COMPATIBLE_API_KEY";

/** An address that speaks OpenAI's chat API: the address, a key where it wants one, and a model. Written into the person's own configuration. */
export async function addCompatible(questions: FirstQuestions): Promise<AfterFirstRun | null> {
  const { read, say, userFile } = questions;
  const address = await askForAddress(questions);
  if (typeof address !== "string") return address;
  const base_url = address;
  const wantsKey = (await read("Does it want a key? [y]es, [N]o: "))?.trim().toLowerCase();
  if (wantsKey === undefined) return "leave";
  const key = /^y(es)?$/.test(wantsKey) ? await askForKey(questions, { name: NAME, type: "compatible", base_url, key: null }, []) : null;
  if (key === "") return null;
  if (key === null && /^y(es)?$/.test(wantsKey)) return "leave";
  const model = await askForModel(questions, base_url, key);
  if (model === null || model === "") return model === null ? "leave" : null;
  if (key !== null) say(`The key is kept as ${KEY_NAME} in ${saveKey(questions, KEY_NAME, key)}.`);
  saveProvider(userFile, { name: NAME, type: "compatible", model, base_url, ...(key !== null && { api_key_env: KEY_NAME }) });
  say(`The provider is written to ${userFile}.`);
  return "chat";
}

/** Null goes back to the list. */
async function askForAddress({ read, say }: FirstQuestions): Promise<string | "leave" | null> {
  for (;;) {
    const typed = (await read("Its address, such as http://127.0.0.1:8080/v1 (Enter alone goes back): "))?.trim();
    if (typed === undefined) return "leave";
    if (typed === "") return null;
    const url = attempt(() => new URL(typed), null);
    if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") return typed.replace(/\/+$/, "");
    say("That is no address: it begins with http:// or https:// and holds no name or password.");
  }
}

/** Empty goes back to the list; null where nobody answers any more. */
async function askForModel({ read, say, env, signal }: FirstQuestions, base_url: string, key: string | null): Promise<string | null> {
  const typed = (await read("The model's name there (Enter alone asks the server which it has): "))?.trim();
  if (typed === undefined) return null;
  if (typed !== "") return typed;
  const check = await checkModelKey({ name: NAME, type: "compatible", base_url, key }, env, signal);
  if (check.result !== "accepted") {
    say(checkWords(check, new URL(base_url).host));
    return "";
  }
  if (check.models.length === 0) {
    say("The server lists no models.");
    return "";
  }
  const shown = check.models.slice(0, MOST_SHOWN);
  for (const [n, model] of shown.entries()) say(`  ${n + 1}  ${visible(model)}`);
  if (check.models.length > shown.length) say(`  and ${check.models.length - shown.length} more`);
  const chosen = (await read("Which model? A number or a name: "))?.trim();
  return chosen === undefined ? null : (shown[Number(chosen) - 1] ?? chosen);
}
