import { momentTag } from "../amounts.ts";
import { html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { removalLink, removalRoutes } from "../parts/confirm-page.ts";
import { pageLinks, pageOf } from "../parts/paging.ts";
import { type Column, createTable, exportLinks } from "../tables.ts";
import type { WatchRequest, WatchRoute } from "../watch-route.ts";

interface Trusted {
  readonly subject: string;
  readonly since: number;
}

export const trustRoute: WatchRoute = {
  method: "GET",
  path: "/trust",
  title: "Trust",
  async render({ stored }, request) {
    const { path, query } = request;
    const all = await stored.trust();
    const { rows, from } = pageOf(all, query);
    const table = createTable({
      name: "trust",
      caption: "What a person vouched for",
      columns: columnsFor(request),
      rows,
      empty: html`Nothing is trusted. <code>zeph trust</code> vouches for the configuration of a project, and <code>zeph trust --skill</code> for a skill.`,
    });
    return {
      lead: "Folders, files and skills that a person vouched for, each as it was at that moment. What has changed since is not trusted any more.",
      table,
      body: html`${table.html()}${pageLinks(path, query, { from, total: all.length })}${rows.length > 0 && exportLinks(path, query)}`,
    };
  },
};

const columnsFor = (request: WatchRequest): readonly Column<Trusted>[] => [
  { head: "since", key: "since", value: ({ since }) => new Date(since).toISOString(), cell: ({ since }) => momentTag(since), look: "when" },
  {
    head: "what",
    key: "subject",
    value: ({ subject }) => subject,
    cell: ({ subject }) => html`<span title="${subject}">${subject}</span>`,
    look: "cmd",
  },
  ...(request.rights.manage
    ? [
        {
          head: "",
          key: "distrust",
          value: () => null,
          cell: ({ subject }: Trusted) => removalLink(request, `/trust/${addressPart(subject)}/distrust`, "distrust"),
        },
      ]
    : []),
];

export const trustRemovalRoutes = removalRoutes({
  path: "/trust/*/distrust",
  title: "Distrust",
  back: "/trust",
  async find({ stored }, [subject = ""]) {
    if (!(await stored.trust()).some((one) => one.subject === subject)) return null;
    return {
      question: "No longer trust this?",
      what: html`<pre class="wrap">${subject}</pre>`,
      after:
        "Of a project's configuration only what makes rules stricter counts then; a skill asks for less. `zeph trust` vouches for it again.",
      label: "Distrust it",
      note: `no longer trusts ${subject}`,
    };
  },
  remove: ({ stored }, [subject = ""]) => stored.distrust(subject),
});
