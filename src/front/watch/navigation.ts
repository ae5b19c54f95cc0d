/** What stands at the left of every page. A key opens it; a page whose address begins with it belongs to it. */
export interface NavigationEntry {
  readonly path: string;
  readonly name: string;
  readonly key?: string;
}

export const MAIN_PAGES: readonly NavigationEntry[] = [
  { path: "/", name: "Now", key: "n" },
  { path: "/log", name: "Log", key: "l" },
  { path: "/savings", name: "Savings", key: "s" },
  { path: "/rules", name: "Rules", key: "r" },
  { path: "/kept", name: "Kept output", key: "k" },
];

/** Below the heading "What it keeps". */
export const KEPT_PAGES: readonly NavigationEntry[] = [
  { path: "/conversations", name: "Conversations" },
  { path: "/memory", name: "Memory" },
  { path: "/skills", name: "Skills" },
  { path: "/schedule", name: "Schedule" },
  { path: "/servers", name: "MCP servers" },
  { path: "/trust", name: "Trust" },
];

export const isUnder = (path: string, entry: NavigationEntry): boolean =>
  entry.path === "/" ? path === "/" : path === entry.path || path.startsWith(`${entry.path}/`);
