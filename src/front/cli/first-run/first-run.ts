import { createKeyReader, keyFilePath } from "../../../config/api-keys.ts";
import { openDesk } from "../../../runtime/create.ts";
import { lookForOllama } from "../../../runtime/first-run/check-key.ts";
import { type KnownProvider, listKnownProviders, providerWithoutKey } from "../../../runtime/first-run/known-providers.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { isForPeople } from "../for-people.ts";
import type { GlobalSettings } from "../runtime.ts";
import type { PrivateReaders } from "../terminal/keyboard.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";
import { addCompatible } from "./compatible.ts";
import { type FirstQuestions, takeKey } from "./take-key.ts";

/** What comes after the first questions. */
export type AfterFirstRun = "chat" | "console" | "demo" | "leave";

interface Offer {
  /** What a person may type besides its number. */
  readonly word: string;
  readonly text: string;
  /** Null: the list is shown again. */
  readonly take: () => Promise<AfterFirstRun | null>;
}

/** `zeph` at a terminal, and no model is there: says what is missing, and offers every way on. Nothing is sent anywhere before somebody chose it. */
export async function chooseModel(
  settings: GlobalSettings,
  terminal: Terminal,
  readers: PrivateReaders,
  signal: AbortSignal,
): Promise<AfterFirstRun> {
  const { stdout, out } = terminal;
  const env = process.env;
  const say = (text: string) => void stdout.write(`${prose(visible(text), stdout)}\n`);
  const { missing, userFile, home } = await whileOpen(openDesk(process.cwd(), settings), async ({ loaded, at }) => ({
    missing: providerWithoutKey(loaded.config.llm, createKeyReader({ home: at.home, env })),
    userFile: loaded.userFile,
    home: at.home,
  }));
  const questions: FirstQuestions = { ...readers, say, terminal, signal, home, env, userFile };
  const offers = offersOf(questions, missing);
  stdout.write(`${out.bold("Zeph needs a model to talk with.")}\n`);
  say(
    missing === null ? "No key and no local model was found." : `${missing.name} is configured, and its key ${missing.keyName} is missing.`,
  );
  say(`A key you paste is kept in ${keyFilePath({ home, env })}, which only you can read.`);
  say("It is sent to nobody but the provider you choose. Settings of yours and of this folder stay as they are.");
  say("Choose one. Esc leaves.");
  for (;;) {
    stdout.write(`\n${offers.map(({ text }, n) => `  ${out.cyan(String(n + 1))}  ${text}\n`).join("")}`);
    const typed = await readers.read(`${out.bold("Which one?")} [1-${offers.length}]: `);
    if (typed === null) return "leave";
    const next = await chosenFrom(offers, typed, say);
    if (signal.aborted) return "leave";
    if (next !== null) return next;
  }
}

/** What is wrong with a file or an address is told, and the list is shown again. */
async function chosenFrom(offers: readonly Offer[], typed: string, say: FirstQuestions["say"]): Promise<AfterFirstRun | null> {
  const word = typed.trim().toLowerCase();
  if (["q", "quit", "exit", "/exit"].includes(word)) return "leave";
  const offer = offers.find((one, n) => word === String(n + 1) || word === one.word);
  if (!offer) {
    say(`Please type a number from 1 to ${offers.length}. Esc leaves.`);
    return null;
  }
  try {
    return await offer.take();
  } catch (error) {
    if (!isForPeople(error)) throw error;
    say(error.message);
    return null;
  }
}

function offersOf(questions: FirstQuestions, missing: KnownProvider | null): readonly Offer[] {
  const keyOf = (provider: KnownProvider): Offer => ({
    word: provider.name,
    text: missing ? `paste the key of ${provider.name}` : `${provider.label}: paste a key`,
    take: () => takeKey(questions, provider),
  });
  const models: readonly Offer[] =
    missing === null
      ? [
          ...listKnownProviders().map(keyOf),
          { word: "compatible", text: "another address that speaks OpenAI's chat API", take: () => addCompatible(questions) },
          { word: "ollama", text: "Ollama on this machine: no key, nothing leaves it", take: () => takeOllama(questions) },
        ]
      : [keyOf(missing)];
  return [
    ...models,
    { word: "demo", text: "the demo: a scripted model and real tools, no network", take: async () => "demo" },
    { word: "console", text: "no model: call the tools yourself", take: async () => "console" },
  ];
}

/** What is found there needs no settings: a chat looks for it by itself. */
async function takeOllama({ say, env }: FirstQuestions): Promise<AfterFirstRun | null> {
  const found = await lookForOllama(env);
  if (typeof found === "object") {
    say(`Ollama answers, with ${found.model}.`);
    return "chat";
  }
  say(
    found === "empty"
      ? "Ollama answers, but it has no model yet. Get one in another window, for example: ollama pull qwen3:8b. Then choose this again."
      : "No Ollama answers on this machine. Start it in another window: ollama serve. Then choose this again.",
  );
  return null;
}
