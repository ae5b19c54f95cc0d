import type { WatchReach } from "./ports/watch.ts";

/** What a tool is. Other parts ask for these instead of comparing its name. */
export interface Facets {
  /** Whose code answers. The arguments for a `server` leave this machine, and its answer is a stranger's text. */
  readonly origin: "here" | "server";
  /** `fresh`: an answer is never given again. Else it may be, while this much of what the call read is as it was. */
  readonly answers: "fresh" | WatchReach;
  /**
   * What its text is, for shortening: running text, one file, a list of paths; `whole` is never shortened, and `pieces` are what was asked for piece
   * by piece, which is not moved to the overflow either.
   */
  readonly shape: "text" | "file" | "paths" | "whole" | "pieces";
  /** What must be there: a model of Zeph's own, or a conversation with one. */
  readonly needs: "nothing" | "model" | "conversation";
  /** Which part of Zeph it serves, if any. */
  readonly about: "work" | "skill" | "memory" | "overflow" | "plan" | "context";
}

/** How the tools of MCP servers are named: by this, the server's name and the tool's. */
export const SERVER_PREFIX = "mcp__";
export const isServerTool = (name: string): boolean => name.startsWith(SERVER_PREFIX);

/**
 * The facets of a tool: the one place that says what is assumed of a program's tool that does not state them. A server states nothing of this: its
 * tools are never answered from memory, and nothing they say of themselves counts.
 */
export const facetsOf = ({ name, facets }: { readonly name: string; readonly facets?: Partial<Facets> | undefined }): Facets =>
  isServerTool(name) ? OF_SERVER : { ...ASSUMED, ...facets };

const ASSUMED: Facets = { origin: "here", answers: "contents", shape: "text", needs: "nothing", about: "work" };
const OF_SERVER: Facets = { ...ASSUMED, origin: "server", answers: "fresh" };
