import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { openWatchSources } from "../../../runtime/watch/open-sources.ts";
import { startWatchPage, type WatchPageSources } from "../../../runtime/watch/start-page.ts";
import { untilAborted } from "../../../text/abort.ts";
import { attempt } from "../../../text/attempt.ts";
import { assertNoAgentAbove } from "../ask/agent-above.ts";
import { openRunningProcesses } from "../ask/running-processes.ts";
import { withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import { assertPersonDecides } from "../hook/client-above.ts";
import { UsageError } from "../io.ts";
import { wholeNumber } from "../number-option.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { listenForStop } from "../stop.ts";
import { openBrowser } from "./open-browser.ts";

/** `zeph watch`: what runs, what was decided and what is kept, on a page of this machine. */
export function watchPage({ flags, settings, terminal }: Invocation): Promise<number> {
  const port = flags.port === undefined ? 0 : wholeNumber("--port", flags.port, { least: 1, most: 65_535 });
  return withStores(settings, terminal, async (desk) => {
    assertNoAgentAbove(desk.at, "zeph watch");
    if (flags.answer === true) assertPersonDecides(desk.at, "zeph watch --answer");
    const live = openRunningProcesses(desk, settings, { where: "zeph watch" });
    const sources = await openWatchSources({ cwd: process.cwd(), settings, live: { ...live, close: async () => live.close() }, isFolder });
    return servePage({ sources, log: desk.at.audit, port }, { flags, terminal });
  });
}

const isFolder = (path: string): boolean => attempt(() => statSync(path).isDirectory(), false);

/** Serves the page until it is stopped, and says where. */
async function servePage(
  { sources, log, port }: { readonly sources: WatchPageSources; readonly log: string; readonly port: number },
  { flags, terminal }: Pick<Invocation, "flags" | "terminal">,
): Promise<number> {
  const { signal } = listenForStop();
  const rights = { answer: flags.answer === true };
  const person = attempt(() => userInfo().username, "user");
  const page = await startWatchPage({ sources, log, rights, port, person }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EADDRINUSE"
      ? new UsageError(`--port ${port}: another program has this port. Without --port a free one is taken.`)
      : error;
  });
  try {
    sayWhere(page, rights, { flags, terminal });
    const end = offerNewLinks(page, { flags, terminal });
    await untilAborted(signal);
    end();
    return EXIT.ok;
  } finally {
    await page.close();
  }
}

type ServedPage = Awaited<ReturnType<typeof startWatchPage>>;
type Saying = Pick<Invocation, "flags" | "terminal">;

function sayWhere(page: ServedPage, rights: { readonly answer: boolean }, { flags, terminal }: Saying): void {
  const { stdout, stderr, err } = terminal;
  const link = page.link();
  if (flags.json) return void stdout.write(jsonLine({ address: page.origin, link, ...rights }));
  stdout.write(`${link}\n`);
  const may = rights.answer ? "Whoever opens it may answer questions." : "It is read only.";
  stderr.write(err.dim(`The link opens the page once, within a minute. ${may} Ctrl-C ends it.\n`));
  if (flags.open !== false) openBrowser(link);
}

/** Enter prints a new link: the one before was used, or is too old. */
function offerNewLinks(page: ServedPage, { flags, terminal }: Saying): () => void {
  const { stdin, stdout, stderr, err } = terminal;
  if (flags.json || !stdin.isTTY) return () => {};
  stderr.write(err.dim("Enter prints a new link.\n"));
  const give = () => void stdout.write(`${page.link()}\n`);
  stdin.on("data", give);
  stdin.resume();
  return () => {
    stdin.off("data", give);
    stdin.pause();
  };
}
