import { type HtmlElement, type HtmlNode, isElement, UNSEEN } from "./tree.ts";
import { isHidden } from "./visibility.ts";

/** The part of a page that people come for, and what to pass over inside it. */
export interface MainContent {
  readonly node: HtmlNode;
  skips(element: HtmlElement): boolean;
}

/** Less prose than this, and the guess what is content is not worth making. */
const LEAST_PROSE = 120;
/** The smallest element that holds this share of the prose is the content. */
const SHARE = 0.8;

/**
 * Prose is text outside links, in blocks of some length. The page's furniture (navigation, banners, what its class names give away) counts for nothing
 * unless it holds most of the page. From the body down, each step goes to the child that still holds nearly all the prose; a `main` or a lone
 * `article` is believed sooner. What is left out by mistake cannot be asked for again, so where it is unclear more is kept.
 */
export function findMainContent(body: HtmlNode): MainContent {
  const weights = new Map<HtmlNode, number>();
  const total = weigh(body, weights);
  if (total < LEAST_PROSE) return { node: body, skips: isHidden };
  const skips = (element: HtmlElement) => isHidden(element) || (isFurniture(element) && (weights.get(element) ?? 0) < total / 2);
  let node = body;
  for (let next = step(node, weights, total * SHARE); next; next = step(node, weights, total * SHARE)) node = next;
  return { node, skips };
}

/** All of the body that can be seen. */
export const wholeBody = (body: HtmlNode): MainContent => ({ node: body, skips: isHidden });

function weigh(node: HtmlNode, weights: Map<HtmlNode, number>): number {
  let weight = 0;
  let own = 0;
  for (const child of node.children ?? []) {
    if (child.type === "text") own += lengthOf(child.data ?? "");
    else if (isElement(child) && !UNSEEN.has(child.name) && !isHidden(child)) {
      if (child.name === "a") continue;
      const below = weigh(child, weights);
      if (INLINE.has(child.name)) own += below;
      else if (!isFurniture(child)) weight += below;
    }
  }
  // A label or a button is no prose; in an inline element the block it stands in decides.
  const inline = node.name !== undefined && INLINE.has(node.name);
  if (inline || own >= SHORTEST || BLOCKS_OF_TEXT.has(node.name ?? "")) weight += own;
  if (!inline && weight > 0 && (node.name === "td" || !BLOCKS_OF_TEXT.has(node.name ?? ""))) weights.set(node, weight);
  return weight;
}
const SHORTEST = 25;
const INLINE = new Set(
  "b strong i em u s del ins span code kbd samp var q cite abbr time mark small sub sup font tt dfn data bdi bdo wbr label".split(" "),
);
const BLOCKS_OF_TEXT = new Set("p pre td th li dd dt blockquote h1 h2 h3 h4 h5 h6 figcaption summary".split(" "));

/** Without the blanks between elements. */
function lengthOf(text: string): number {
  return text.length > 200 ? text.length : text.trim().length;
}

const CONTAINERS = new Set("html body div section main article center form td tr tbody table details".split(" "));

function step(node: HtmlNode, weights: ReadonlyMap<HtmlNode, number>, enough: number): HtmlNode | null {
  // Its heading and its byline are often beside the text, not around it.
  if (node.name === "article") return null;
  let best: HtmlElement | null = null;
  let most = -1;
  let mains = 0;
  for (const child of node.children ?? []) {
    if (!isElement(child) || !(CONTAINERS.has(child.name) || child.name.includes("-"))) continue;
    const weight = weights.get(child) ?? 0;
    if (weight > 0 && isMain(child)) mains++;
    if (weight > most) [best, most] = [child, weight];
  }
  if (best === null) return null;
  return most >= (isMain(best) && mains === 1 ? enough / TRUST : enough) ? best : null;
}
/** How much less prose is enough where the page itself says what its content is. */
const TRUST = 1.6;

const isMain = ({ name, attribs }: HtmlElement): boolean =>
  name === "main" || name === "article" || attribs.role === "main" || attribs.itemprop === "articleBody";

const FURNITURE = new Set(["nav", "footer", "aside", "menu"]);
const FURNITURE_ROLES = new Set(
  "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar tablist".split(" "),
);
const FURNITURE_WORDS =
  /(?:^|[\s_-])(?:ads?|adverts?|advertisement|adslot|banner|breadcrumbs?|consent|cookies?|cookiebar|gdpr|ccpa|onetrust|footer|masthead|menu|modal|nav|navbar|navigation|newsletter|outbrain|taboola|pagination|paywall|popup|promo|promos|promoted|recirc|recommended|related|share|sharebar|sharing|sidebar|skip|social|sponsor|sponsored|sponsors|subscribe|subscription|toolbar|widget|widgets|headerlink|linenos|lineno|gutter|mw-editsection|noprint)(?=$|[\s_-])/i;
const NEVER = new Set("html body main article table tbody tr td th p pre code h1 h2 h3 h4 h5 h6 blockquote li dd dt".split(" "));
const EVEN_SO = /(?:^|[\s_-])(?:headerlink|linenos|lineno|gutter|mw-editsection|skip)(?=$|[\s_-])/i;

function isFurniture({ name, attribs }: HtmlElement): boolean {
  if (FURNITURE.has(name)) return true;
  const { role, class: classes, id } = attribs;
  if (role !== undefined && FURNITURE_ROLES.has(role)) return true;
  if (classes === undefined && id === undefined) return false;
  const named = `${classes ?? ""} ${id ?? ""}`.slice(0, 500);
  return FURNITURE_WORDS.test(named) && (!NEVER.has(name) || EVEN_SO.test(named));
}
