/** What stands at the left of every page. A key opens it; a page whose address begins with one of its paths belongs to it. */
export interface NavigationEntry {
  readonly path: string;
  readonly name: string;
  readonly key: string;
  readonly alsoAt?: string;
}

export const NAVIGATION: readonly NavigationEntry[] = [
  { path: "/", name: "Now", key: "n" },
  { path: "/log", name: "Log", key: "l" },
  { path: "/rules", name: "Rules", key: "r" },
  { path: "/kept", name: "Kept", key: "k", alsoAt: "/conversations" },
];

export const isUnder = (path: string, { path: own, alsoAt = own }: NavigationEntry): boolean =>
  [own, alsoAt].some((one) => path === one || path.startsWith(`${one}/`));
