import type { ScheduledTask } from "../../../core/ports/store.ts";
import { oneLine } from "../../../text/visible.ts";
import { momentTag } from "../amounts.ts";
import { html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { shortId } from "../parts/call-words.ts";
import { removalLink, removalRoutes } from "../parts/confirm-page.ts";
import { pageLinks, pageOf } from "../parts/paging.ts";
import { type Column, createTable, exportLinks } from "../tables.ts";
import type { WatchRequest, WatchRoute } from "../watch-route.ts";

export const scheduleRoute: WatchRoute = {
  method: "GET",
  path: "/schedule",
  title: "Schedule",
  async render({ stored }, request) {
    const { path, query } = request;
    const all = await stored.schedule();
    const { rows, from } = pageOf(all, query);
    const table = createTable({
      name: "schedule",
      caption: "Tasks for later, the soonest first",
      columns: columnsFor(request),
      rows,
      empty: html`Nothing is planned. <code>zeph schedule add "every weekday at 9" "…"</code> plans a task, and a model may with a yes.`,
    });
    return {
      lead: html`Tasks for later. They are run while <code>zeph</code> or <code>zeph schedule run</code> is open; nobody is asked then, so what needs a yes is refused.`,
      table,
      body: html`${table.html()}${pageLinks(path, query, { from, total: all.length })}${rows.length > 0 && exportLinks(path, query)}`,
    };
  },
};

const iso = (at: number | null | undefined) => (at === null || at === undefined ? null : new Date(at).toISOString());

const columnsFor = (request: WatchRequest): readonly Column<ScheduledTask>[] => [
  {
    head: "next",
    key: "next_at",
    value: ({ nextAt }) => iso(nextAt),
    cell: ({ nextAt }) => (nextAt === null ? html`<span class="faint">over</span>` : momentTag(nextAt)),
    look: "when",
  },
  { head: "id", key: "id", value: ({ id }) => id, isExportOnly: true },
  {
    head: "task",
    key: "task",
    value: ({ task }) => task,
    cell: ({ task, untrusted, bound }) =>
      html`<div class="words">${task}</div>${untrusted && html`<span class="tag ask" title="It was asked for after a stranger's text had been read">maybe a stranger's</span>`}${bound !== null && html`<span class="tag off" title="It is done under the trust of who asked for it">bound</span>`}`,
  },
  { head: "when", key: "when", value: ({ when, cron }) => (cron === null ? when : `${when} (${cron})`), look: "soft" },
  {
    head: "last time",
    key: "last_at",
    value: ({ last }) => iso(last?.at),
    cell: ({ last }) =>
      last === null
        ? html`<span class="faint">not yet</span>`
        : html`<span class="tag ${last.ok ? "ok" : "failed"}">${last.ok ? "ok" : "failed"}</span> ${last.conversation === undefined ? momentTag(last.at) : html`<a href="/conversations/${addressPart(last.conversation)}">${momentTag(last.at)}</a>`}`,
    look: "when",
    isExtra: true,
  },
  { head: "ok", key: "last_ok", value: ({ last }) => last?.ok, isExportOnly: true },
  {
    head: "folder",
    key: "workspace",
    value: ({ workspace }) => workspace,
    cell: ({ workspace }) => html`<span title="${workspace}">${workspace}</span>`,
    look: "by",
    isExtra: true,
  },
  ...(request.rights.manage
    ? [
        {
          head: "",
          key: "remove",
          value: () => null,
          cell: ({ id }: ScheduledTask) => removalLink(request, `/schedule/${addressPart(id)}/remove`, "remove"),
        },
      ]
    : []),
];

export const scheduleRemovalRoutes = removalRoutes({
  path: "/schedule/*/remove",
  title: "Remove a task",
  back: "/schedule",
  async find({ stored }, [id = ""]) {
    const task = (await stored.schedule()).find((one) => one.id === id);
    if (!task) return null;
    return {
      question: "Remove this task?",
      what: html`<blockquote class="words">${task.task}</blockquote><p>${task.when}</p>`,
      after: "It is not run again. What it did so far stays.",
      label: "Remove it",
      note: `removes the scheduled task ${shortId(id)} ("${oneLine(task.task, 80)}")`,
    };
  },
  remove: ({ stored }, [id = ""]) => stored.removeTask(id),
});
