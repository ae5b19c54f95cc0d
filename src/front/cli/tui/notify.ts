import { oneLine, visible } from "../../../text/visible.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What is known about the window, and whether it was called for already. */
export interface NoticeState {
  /** Unknown until the terminal tells: many never do. */
  readonly focus: "in front" | "behind" | "unknown";
  readonly hasRung: boolean;
}

export const FIRST_NOTICE_STATE: NoticeState = { focus: "unknown", hasRung: false };

/** What may call for the person, or show that they are there. */
export type NoticeEvent =
  | { readonly type: "focus-in" }
  | { readonly type: "focus-out" }
  | { readonly type: "key" }
  | { readonly type: "question"; readonly text: string }
  | { readonly type: "turn-ended"; readonly tookMs: number; readonly text: string };

export interface NoticeWish {
  readonly notify: "auto" | "bell" | "off";
  readonly env: Variables;
}

/** A shorter turn was watched. */
const LONG_TURN_MS = 10_000;
const LONGEST = 120;
const BELL = "\u0007";
const ESC = "\u001b";
const ST = `${ESC}\\`;

/** The state after this event, and what the terminal is sent: nothing while the window is in front, and once until somebody comes back. */
export function noticeAfter(
  state: NoticeState,
  event: NoticeEvent,
  wish: NoticeWish,
): { readonly state: NoticeState; readonly bytes: string } {
  if (event.type === "focus-in") return { state: { focus: "in front", hasRung: false }, bytes: "" };
  if (event.type === "focus-out") return { state: { ...state, focus: "behind" }, bytes: "" };
  if (event.type === "key") return { state: { ...state, hasRung: false }, bytes: "" };
  const isWatched = event.type === "turn-ended" && event.tookMs < LONG_TURN_MS;
  if (wish.notify === "off" || state.focus === "in front" || state.hasRung || isWatched) return { state, bytes: "" };
  // Where nothing is known about the window the bell is enough: a notification about what one looks at is a nuisance.
  const words = wish.notify === "auto" && state.focus === "behind" ? notification(event.text, wish.env) : "";
  return { state: { ...state, hasRung: true }, bytes: BELL + words };
}

type Kind = "osc 9" | "osc 777" | "osc 99";

/** By the variables that terminals set for themselves. They are still there inside of tmux. */
const BY_VARIABLE: readonly (readonly [name: string, kind: Kind])[] = [
  ["KITTY_WINDOW_ID", "osc 99"],
  ["WEZTERM_PANE", "osc 9"],
  ["GHOSTTY_RESOURCES_DIR", "osc 9"],
  ["ITERM_SESSION_ID", "osc 9"],
  ["WT_SESSION", "osc 9"],
];
const BY_PROGRAM: Readonly<Record<string, Kind>> = { "iTerm.app": "osc 9", WezTerm: "osc 9", ghostty: "osc 9", WarpTerminal: "osc 9" };

/** Empty where the terminal is not known to have notifications: a stranger might print the letters. */
function notification(text: string, env: Variables): string {
  const kind = BY_VARIABLE.find(([name]) => env[name])?.[1] ?? BY_PROGRAM[env.TERM_PROGRAM ?? ""] ?? byTerm(env.TERM ?? "");
  if (kind === null) return "";
  const bytes = FORMS[kind](wordsOf(text));
  // A tmux that lets nothing through drops it, so this harms nobody.
  return env.TMUX ? `${ESC}Ptmux;${bytes.replaceAll(ESC, ESC + ESC)}${ST}` : bytes;
}

const FORMS: Readonly<Record<Kind, (words: string) => string>> = {
  // The words never begin with a number, which some terminals take for another command.
  "osc 9": (words) => `${ESC}]9;Zeph: ${words}${ST}`,
  "osc 777": (words) => `${ESC}]777;notify;Zeph;${words.replaceAll(";", ",")}${ST}`,
  "osc 99": (words) => `${ESC}]99;;Zeph: ${words}${ST}`,
};

function byTerm(term: string): Kind | null {
  if (term === "xterm-kitty") return "osc 99";
  return /^(rxvt|foot)/.test(term) ? "osc 777" : null;
}

/** Nothing that a terminal would obey is left in it. */
const wordsOf = (text: string): string => oneLine(visible(text), LONGEST);

export interface TitleWish {
  readonly title: boolean;
  readonly env: Variables;
}

const hasTitle = ({ title, env }: TitleWish): boolean => title && env.TERM !== undefined && !/^(dumb|linux|vt\d+)$/.test(env.TERM);

/** The title that is there is put on the terminal's own pile. */
export const keepTitle = (wish: TitleWish): string => (hasTitle(wish) ? `${ESC}[22;2t` : "");

export const showTitle = (text: string, wish: TitleWish): string => (hasTitle(wish) ? `${ESC}]2;${wordsOf(text)}${BELL}` : "");

/** A terminal without a pile is left with an empty title, which a shell sets anew. */
export const restoreTitle = (wish: TitleWish): string => (hasTitle(wish) ? `${ESC}]2;${BELL}${ESC}[23;2t` : "");
