import { formMark } from "../forms.ts";
import { type HtmlValue, html } from "../html.ts";
import type { WatchPage, WatchReply, WatchRequest, WatchRoute } from "../watch-route.ts";
import type { WatchSources } from "../watch-sources.ts";

/** Something that can be removed, as a page shows it before it asks. */
export interface Removal {
  /** "Forget this memory?" */
  readonly question: string;
  /** What it is, in full. */
  readonly what: HtmlValue;
  /** What comes of it. */
  readonly after: HtmlValue;
  /** On the button. */
  readonly label: string;
  /** "forgets the memory 3f2a91": what the audit log says after the name of who does it. */
  readonly note: string;
}

export interface RemovalParts {
  /** `/memory/*\/forget` */
  readonly path: string;
  readonly title: string;
  /** Where the list is. */
  readonly back: string;
  /** Null where there is no such thing (any more). */
  find(sources: WatchSources, words: readonly string[]): Promise<Removal | null>;
  /** False where there was nothing to remove. */
  remove(sources: WatchSources, words: readonly string[]): Promise<boolean>;
}

/** Two steps: a page that shows what goes, and a form on it that does it. The log is told first; what it cannot be told is not done. */
export function removalRoutes({ path, title, back, find, remove }: RemovalParts): readonly [WatchRoute, WatchRoute] {
  const gone: WatchReply = { refused: "There is no such thing any more.", status: 404 };
  return [
    {
      method: "GET",
      path,
      title,
      needs: "manage",
      async render(sources, request) {
        const removal = await find(sources, request.words);
        return removal === null ? gone : confirmPage(removal, back, request);
      },
    },
    {
      method: "POST",
      path,
      title,
      needs: "manage",
      async render(sources, { words, person }) {
        const removal = await find(sources, words);
        if (removal === null) return gone;
        await sources.note(`${person} ${removal.note}, in zeph watch`);
        return (await remove(sources, words)) ? { goTo: back } : gone;
      },
    },
  ];
}

const confirmPage = ({ question, what, after, label }: Removal, back: string, request: WatchRequest): WatchPage => ({
  title: question,
  body: html`<div class="panel pad removal">${what}<p class="soft">${after} The audit log keeps a note of it.</p>
<form method="post" action="${request.path}" class="row">${formMark(request)}<button class="danger">${label}</button><a class="button" href="${back}">Leave it</a></form></div>`,
});

/** The link to the first step; nothing for those who only read. */
export const removalLink = (request: Pick<WatchRequest, "rights">, path: string, label: string): HtmlValue =>
  request.rights.manage && html`<a href="${path}">${label}</a>`;
