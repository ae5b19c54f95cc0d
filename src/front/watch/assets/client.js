// Pages work without this file, apart from what is live: rows as calls end, questions as they are asked, and keys.
const find = (selector) => document.querySelector(selector);
const root = document.documentElement;

// Light or dark. A browser that keeps nothing for pages still shows them.
const kept = (() => {
  try {
    return localStorage;
  } catch {
    return null;
  }
})();
const chosen = kept?.getItem("theme");
if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
function flipTheme() {
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  kept?.setItem("theme", root.dataset.theme);
}
const button = find("#theme");
if (button) {
  button.hidden = false;
  button.addEventListener("click", flipTheme);
}

/** The server wrote and escaped it, and the policy of the page lets no script in it run. */
function pieceOf(text) {
  const template = document.createElement("template");
  template.innerHTML = text;
  return template.content;
}

const link = find("#link");
function say(state, words) {
  const dot = document.createElement("i");
  dot.className = `dot ${state}`;
  link.replaceChildren(dot, words);
}

const MOST_ROWS = 14;
const nameOf = (row) => row.querySelector("a")?.getAttribute("href") ?? row.textContent;
/** Rows that came while the pointer was over the table. */
let held = [];
function putRows() {
  const body = find("#live tbody");
  if (!body || body.matches(":hover, :focus-within")) return;
  const shown = new Set([...body.rows].map(nameOf));
  for (const row of held) {
    const fresh = pieceOf(`<table><tbody>${row}</tbody></table>`).querySelector("tr");
    // The last calls are told again to a page that was just opened.
    if (shown.has(nameOf(fresh))) continue;
    shown.add(nameOf(fresh));
    fresh.classList.add("fresh");
    body.prepend(fresh);
  }
  held = [];
  while (body.rows.length > MOST_ROWS) body.lastElementChild.remove();
}
function takeCalls({ data }) {
  // The first call fills a page that says it is empty.
  if (find("p#live")) return location.reload();
  held = [...held, ...JSON.parse(data)].slice(-MOST_ROWS);
  putRows();
}

const title = document.title.replace(/^\(\d+\) /, "");
function takeQuestions({ data }) {
  const { cards, count } = JSON.parse(data);
  document.title = count > 0 ? `(${count}) ${title}` : title;
  const sign = document.createElement(count > 0 ? "span" : "kbd");
  sign.id = "waiting";
  sign.className = count > 0 ? "hot" : "";
  sign.textContent = count > 0 ? count : "n";
  find("#waiting")?.replaceWith(sign);
  const place = find("#questions");
  if (!place) return;
  const fresh = [...pieceOf(cards).children];
  const ids = new Set(fresh.map((card) => card.id));
  // Somebody may be about to press a button: a card that is open stays where it is, and one that is over leaves its place behind.
  for (const card of place.children) if (!ids.has(card.id)) closeCard(card);
  for (const card of fresh) if (!document.getElementById(card.id)) place.append(card);
}
/** It was answered elsewhere. It keeps its room while somebody points at the questions, so that no other card moves under the pointer. */
function closeCard(card) {
  const place = find("#questions");
  if (!place.matches(":hover, :focus-within")) return card.remove();
  card.inert = true;
  card.classList.add("over");
  place.addEventListener("mouseleave", () => card.remove(), { once: true });
}

if (link) {
  const events = new EventSource(find("#live") ? "/events?latest" : "/events");
  events.onopen = () => say("good", "live");
  events.onerror = () => say("bad", events.readyState === EventSource.CLOSED ? "ended" : "connecting again");
  events.addEventListener("calls", takeCalls);
  events.addEventListener("questions", takeQuestions);
  find("#live")?.addEventListener("mouseleave", putRows);
  // A page that is left does not keep its connection: a browser opens only six to one server.
  addEventListener("pagehide", () => events.close());
  addEventListener("pageshow", (event) => event.persisted && location.reload());
}

// Where other programs are sent our cookie, a form also says that it comes from the tab that came in.
addEventListener("submit", ({ target: form }) => {
  const key = sessionStorage.getItem("tab");
  if (!key || form.method !== "post") return;
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: "tab", value: key });
  form.append(field);
});

function agoText(since) {
  const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
  if (seconds < 5) return "just now";
  if (seconds < 90) return `${seconds} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 172800 ? `${Math.round(seconds / 3600)} h ago` : `${Math.round(seconds / 86400)} days ago`;
}
setInterval(() => {
  for (const place of document.querySelectorAll("[data-since]")) place.textContent = agoText(Number(place.dataset.since));
}, 1000);

// Keys move and open. None of them answers a question.
const PAGES = { n: "/", l: "/log", r: "/rules", k: "/kept" };
const KEYS = {
  t: flipTheme,
  "/": () => find("input[type=search]")?.focus(),
  ArrowDown: () => walk(1),
  ArrowUp: () => walk(-1),
};
function walk(step) {
  const links = [...document.querySelectorAll("main td a")];
  const at = links.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : -1) : Math.max(0, Math.min(links.length - 1, at + step));
  links[next]?.focus();
  return links[next] !== undefined;
}
addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, select, textarea, pre")) return;
  if (Object.hasOwn(PAGES, key)) location.assign(PAGES[key]);
  else if (Object.hasOwn(KEYS, key) && KEYS[key]() !== false) event.preventDefault();
});
