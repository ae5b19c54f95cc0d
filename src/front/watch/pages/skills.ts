import { html } from "../html.ts";
import { type Column, createTable, exportLinks } from "../tables.ts";
import type { WatchRoute } from "../watch-route.ts";
import type { SkillRow } from "../watch-sources.ts";

export const skillsRoute: WatchRoute = {
  method: "GET",
  path: "/skills",
  title: "Skills",
  async render({ stored }, { path, query }) {
    const rows = await stored.skills();
    const table = createTable({
      name: "skills",
      caption: "Skills that are found here",
      columns: COLUMNS,
      rows,
      empty: html`No skill is found here. A skill is a folder with a <code>SKILL.md</code> in it, in your own folder of skills or in the project's.`,
    });
    return {
      lead: html`Instructions that a model may load. What a skill asks for is done under its trust: <code>zeph trust --skill</code> vouches for one as it is now.`,
      table,
      body: html`${table.html()}${rows.length > 0 && exportLinks(path, query)}`,
    };
  },
};

const COLUMNS: readonly Column<SkillRow>[] = [
  { head: "skill", key: "name", value: ({ name }) => name, look: "mono" },
  {
    head: "for",
    key: "description",
    value: ({ description }) => description,
    cell: ({ description }) => html`<div class="words">${description}</div>`,
  },
  {
    head: "trust",
    key: "trusted",
    value: ({ isTrusted }) => isTrusted,
    cell: ({ isTrusted }) => (isTrusted ? html`<span class="tag ok">trusted</span>` : html`<span class="tag off">not trusted</span>`),
  },
  {
    head: "place",
    key: "place",
    value: ({ place }) => place,
    cell: ({ place }) => html`<span title="${place}">${place}</span>`,
    look: "by",
    isExtra: true,
  },
];
