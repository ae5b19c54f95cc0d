import { wordSet } from "../text/words.ts";
import { speakersOf } from "./command.ts";

/** Programs whose first word after their own says what they do. */
const WITH_SUBCOMMANDS = wordSet(
  "git npm pnpm yarn bun cargo docker podman kubectl helm go dotnet terraform tofu gh glab pip uv poetry brew apt apt-get systemctl make mvn gradle gradlew rustup deno composer bundle rails mix aws gcloud az zeph",
);
const PROGRAM = /^[\w.+@-]{1,40}$/;
const SUBCOMMAND = /^[a-zA-Z][\w:.-]{0,30}$/;

/** "npm test", "git log", "ls": what sums are made by. It holds no argument, so nothing of what a person works on. */
export function commandKind(command: string): string {
  const [program = "", ...words] = speakersOf(command)[0]?.words ?? [];
  const name = program.slice(program.lastIndexOf("/") + 1);
  if (!PROGRAM.test(name)) return "other";
  const subcommand = words.find((word) => !word.startsWith("-"));
  const isKnown = WITH_SUBCOMMANDS.has(name) && subcommand !== undefined && SUBCOMMAND.test(subcommand);
  return isKnown ? `${name} ${subcommand}` : name;
}
