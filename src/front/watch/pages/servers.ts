import type { Pin } from "../../../core/ports/store.ts";
import { plural } from "../../../text/words.ts";
import { momentTag } from "../amounts.ts";
import { type Html, html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { removalLink, removalRoutes } from "../parts/confirm-page.ts";
import { definitionDiff, spread } from "../parts/definition-diff.ts";
import { diffBlock } from "../parts/diff-block.ts";
import { type Column, createTable, exportLinks } from "../tables.ts";
import type { WatchRequest, WatchRoute } from "../watch-route.ts";
import type { ServerRow } from "../watch-sources.ts";

interface PinRow extends Pin {
  readonly server: string;
}

export const serversRoute: WatchRoute = {
  method: "GET",
  path: "/servers",
  title: "MCP servers",
  async render({ stored }, request) {
    const servers = await stored.servers();
    const rows = servers.flatMap(({ server, pins }) => pins.map((pin): PinRow => ({ ...pin, server })));
    const table = createTable({ name: "pins", caption: "Definitions that were agreed to", columns: [SERVER, ...PINS], rows, empty: "" });
    const parts = await Promise.all(servers.map((one) => serverPart(one, request)));
    return {
      lead: html`Whose tools are used, and how each tool was defined when it was agreed to. A definition that differs is offered to no model before somebody agrees to it again. This page connects to no server: <code>zeph mcp diff</code> asks each what it offers now.`,
      table,
      body: html`${parts}${parts.length === 0 && EMPTY}${rows.length > 0 && exportLinks(request.path, request.query)}`,
    };
  },
};

const EMPTY = html`<div class="panel"><p class="empty">No server is configured, and none was used. <code>zeph mcp add</code> adds one; its tools are kept here as they were when it was first met.</p></div>`;

async function serverPart(row: ServerRow, request: WatchRequest): Promise<Html> {
  const { server, reached, state, pins, changed } = row;
  const diffs = await Promise.all(
    changed.map(async (one) => ({ tool: one.tool, diff: await definitionDiff(one.tool, one.before, one.after) })),
  );
  const table = createTable({
    name: "pins",
    caption: `Tools of ${server}`,
    columns: PINS,
    rows: pins,
    empty: "No definition is kept. It is, when the server is met for the first time.",
  });
  return html`<section class="server"><h2>${serverName(server)}</h2><p class="soft">${reached === undefined ? "It is not configured any more; only what was agreed to is left." : html`<code>${reached}</code>`}${state !== undefined && html` · ${state}`}${pins.length > 0 && request.rights.manage && html` · ${removalLink(request, `/servers/${addressPart(server)}/forget`, "forget what was agreed to")}`}</p>
${changed.length > 0 && html`<div class="banner bad"><b>${plural(changed.length, "tool")} not as agreed to</b> <span>No model is offered it. <code>zeph mcp diff --accept</code> agrees to it as it is now.</span></div>`}${diffs.map(
  ({ tool, diff }) =>
    html`<details class="fold" open><summary class="mono">${tool}</summary>${diff === null ? html`<p class="soft">The two definitions are too long to compare here.</p>` : diffBlock(diff, `What differs in ${tool}`)}</details>`,
)}${table.html()}</section>`;
}

/** The name, and behind it what tells two servers of one name apart. */
function serverName(identity: string): Html {
  const [, name, rest] = /^([^:]+):([0-9a-f]{16,})$/.exec(identity) ?? [];
  return name === undefined ? html`${identity}` : html`${name} <span class="faint mono" title="${identity}">${rest!.slice(0, 8)}</span>`;
}

const SERVER: Column<PinRow> = { head: "server", key: "server", value: ({ server }) => server };
const PINS: readonly Column<Pin>[] = [
  {
    head: "tool",
    key: "tool",
    value: ({ tool }) => tool,
    cell: ({ tool, definition }) =>
      html`<details><summary class="mono">${tool}</summary><pre class="wrap">${spread(definition.slice(0, 65_536))}</pre></details>`,
  },
  {
    head: "SHA-256",
    key: "hash",
    value: ({ hash }) => hash,
    cell: ({ hash }) => html`<span title="${hash}">${hash.slice(0, 16)}…</span>`,
    look: "mono",
    isExtra: true,
  },
  {
    head: "agreed to",
    key: "since",
    value: ({ since }) => new Date(since).toISOString(),
    cell: ({ since }) => momentTag(since),
    look: "when",
  },
  { head: "definition", key: "definition", value: ({ definition }) => definition, isExportOnly: true },
];

export const serverRemovalRoutes = removalRoutes({
  path: "/servers/*/forget",
  title: "Forget definitions",
  back: "/servers",
  async find({ stored }, [name = ""]) {
    const found = (await stored.servers()).find(({ server }) => server === name);
    if (!found || found.pins.length === 0) return null;
    return {
      question: "Forget what was agreed to?",
      what: html`<p>${plural(found.pins.length, "tool")} of <code>${name}</code>: ${found.pins.map(({ tool }) => tool).join(", ")}</p>`,
      after: "When the server is met again, its tools are taken as they are then, whatever they are.",
      label: "Forget them",
      note: `forgets the definitions of the tools of ${name}`,
    };
  },
  remove: async ({ stored }, [name = ""]) => (await stored.forgetPins(name)) > 0,
});
