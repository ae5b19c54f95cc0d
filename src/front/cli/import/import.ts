import { dirname, resolve } from "node:path";
import { foldersFromTop, projectConfigPath } from "../../../config/paths.ts";
import { readConfigText } from "../../../config/read.ts";
import { findSources, namedSource, placesFor, readSource, type SourcePlaces, sourceName } from "../../../neighbours/import/find-sources.ts";
import { type ImportSource, planImport } from "../../../neighbours/import/plan-import.ts";
import { createSecretValues } from "../../../neighbours/import/secret-values.ts";
import { NEIGHBOURS, type Neighbour } from "../../../neighbours/rules/client-rule.ts";
import { openDesk } from "../../../runtime/create.ts";
import { escapeGlob } from "../../../text/glob.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { agreeAtTerminal } from "../ask/person.ts";
import { EXIT } from "../exit.ts";
import { assertPersonDecides } from "../hook/client-above.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { readText } from "../stdin.ts";
import { type ImportTarget, importJson, importText, type Verdicts, verdictsText } from "./import-text.ts";
import { judgeSamples } from "./judge-samples.ts";
import { planTexts } from "./plan-texts.ts";
import { writeTarget } from "./write-target.ts";

const USAGE = `zeph import <client>… [--from <file>] [--into user|project] [--dry-run] [--json] [--yes]`;
const WORDS: readonly string[] = [...NEIGHBOURS, "mcp"];

/** `zeph import`: the rules and servers of other agents become settings. Shows everything first, and asks. Exit 4 when nobody said yes. */
export async function importSettings(given: Invocation): Promise<number> {
  const { flags, settings, terminal } = given;
  const clients = clientsOf(given.words, flags.from);
  const into = intoOf(flags.into);
  const wish = await whileOpen(openDesk(process.cwd(), settings), async ({ loaded, at }) => {
    if (!flags.dryRun) assertPersonDecides(at, "zeph import");
    const workspace = loaded.project?.folder ?? foldersFromTop({ cwd: process.cwd(), home: at.home })[0]!;
    return { userFile: loaded.userFile, places: { workspace, home: at.home }, isTrusted: loaded.project?.trusted ?? false };
  });
  const { places, userFile } = wish;
  const found = await gather(clients, flags.from, given, places);
  const date = new Date().toISOString().slice(0, 10);
  const targets = (["user", "project"] as const).flatMap((target): ImportTarget[] => {
    const mine = found.filter(({ source }) => (into ?? (source.scope === "own" ? "user" : "project")) === target);
    const file = target === "user" ? userFile : projectConfigPath(places.workspace);
    const texts = flags.from === undefined ? planTexts(clients, target, places, dirname(userFile), date) : { skills: [], files: [] };
    if (mine.length + texts.files.length === 0) return [];
    const before = readConfigText(file, target === "project" ? { inside: places.workspace } : undefined);
    const sources = mine.map((one) => toSource(one, target, wish));
    const plan = planImport(before ?? "", sources, { date, workspace: places.workspace, into: target });
    return [
      { target, file, before, text: plan.text, files: [...plan.files, ...texts.files], skills: texts.skills, inside: places.workspace },
    ];
  });
  if (targets.length === 0) throw new UsageError(nothingFound(clients));
  const say = (text: string) => void (flags.json || terminal.stdout.write(visible(text)));
  say(importText(targets));
  const changes = targets.some(({ text, before, skills }) => text !== (before ?? "") || skills.length > 0);
  const print = (written: boolean, verdicts: Verdicts = []) =>
    void (flags.json && terminal.stdout.write(jsonLine({ ...importJson(targets), written, verdicts })));
  if (!changes || flags.dryRun) {
    say(changes ? "\nNothing was written (--dry-run).\n" : "\nThere is nothing to write.\n");
    print(false);
    return EXIT.ok;
  }
  if (!(flags.yes || (terminal.attended && (await agreeAtTerminal("Write this?", terminal))))) {
    say(terminal.attended ? "Nothing was written.\n" : "\nNothing was written: nobody could be asked. --yes writes it.\n");
    print(false);
    return EXIT.unanswered;
  }
  const earlier = await judgeSamples(targets, settings);
  for (const target of targets) writeTarget(target);
  const verdicts = await judgeSamples(targets, settings, earlier);
  for (const { file, text, before } of targets) if (text !== (before ?? "")) say(`\nWritten to ${file}.\n`);
  say(verdictsText(verdicts));
  if (targets.some(({ target }) => target === "project")) say(UNTRUSTED);
  print(true, verdicts);
  return EXIT.ok;
}

const UNTRUSTED =
  "\nThe project's file only tightens your rules until you trust it: read it, then run `zeph trust`. Other agents' files of this project give only what they deny until then.\n";

interface Gathered {
  readonly source: ReturnType<typeof namedSource>;
  readonly text: string;
  readonly name?: string;
}

async function gather(
  clients: readonly string[],
  from: unknown,
  { terminal }: Invocation,
  places: SourcePlaces,
): Promise<readonly Gathered[]> {
  const { workspace } = places;
  if (typeof from === "string") {
    const client = clients[0] as Neighbour | "mcp";
    if (from === "-") {
      const source = { ...namedSource(client, "/", { ...places, workspace: "/nowhere" }), scope: "own" } as const;
      return [{ source, name: "stdin", text: await readText(terminal.stdin) }];
    }
    const source = namedSource(client, resolve(process.cwd(), from), places);
    const text = readSource(source, workspace);
    if (text === null) throw new UsageError(`${from}: there is no such file.`);
    return [{ source, text }];
  }
  return clients.flatMap((client) =>
    findSources(client as Neighbour, places).flatMap((source) => {
      const text = source.form === "folder" ? source.path : readSource(source, workspace);
      return text === null ? [] : [{ source, text }];
    }),
  );
}

function toSource(
  { source, text, name }: Gathered,
  target: "user" | "project",
  { places, isTrusted }: { readonly places: SourcePlaces; readonly isTrusted: boolean },
): ImportSource {
  const isOwn = source.scope === "own";
  // In the person's own file a path of the project has to say which project.
  const project = `${escapeGlob(places.workspace)}/`;
  return {
    kind: source.kind,
    form: source.form,
    name: name ?? sourceName(source, places, target),
    text: source.form === "folder" ? sourceName(source, places, "user") : text,
    standing: {
      anchors: {
        workspace: isOwn || target === "project" ? "" : project,
        settings: isOwn ? `${escapeGlob(dirname(source.path))}/` : target === "project" ? "" : project,
      },
      allows: isOwn || isTrusted ? "all" : "denials only",
      holdsSecret: createSecretValues().holdsSecret,
    },
  };
}

function clientsOf(words: readonly string[], from: unknown): readonly string[] {
  const wrong = words.find((word) => !WORDS.includes(word));
  if (wrong !== undefined)
    throw new UsageError(
      `"${wrong}" is no agent that can be imported from.${didYouMean(wrong, WORDS) || ` There are ${WORDS.join(", ")}.`}`,
    );
  if (from !== undefined && words.length > 1) throw new UsageError(`--from names one file, so name one agent: ${USAGE}`);
  if (from !== undefined) return words.length === 0 ? ["mcp"] : words;
  if (words.length === 0) throw new UsageError(`Say which agent to import from: ${NEIGHBOURS.join(", ")}. ${USAGE}`);
  if (words.includes("mcp")) throw new UsageError("Say which file holds the servers: zeph import mcp --from <file>, or - for stdin.");
  return [...new Set(words)];
}

function intoOf(given: unknown): "user" | "project" | undefined {
  if (given === undefined || given === "user" || given === "project") return given;
  throw new UsageError(`--into ${given}: it must be user or project.`);
}

const nothingFound = (clients: readonly string[]): string =>
  clients.every((client) => client === "mcp")
    ? "There is nothing in it."
    : `No file of ${clients.join(", ")} was found. Looked for ${clients.flatMap((client) => placesFor(client as Neighbour)).join(", ")}. Another file is named with --from.`;
