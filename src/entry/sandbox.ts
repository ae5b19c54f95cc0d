// zeph/sandbox: a command behind walls.

export type { Walls, WallsBuilder } from "../core/ports/walls.ts";
export type { CommandLimits } from "../host/sandbox/limits.ts";
export type { WalledOptions, WalledRun } from "../runtime/alone/sandbox.ts";
export { findWalls, runWalled } from "../runtime/alone/sandbox.ts";
