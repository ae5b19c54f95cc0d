// zeph/testing: models that say what a test wants, and the suites for models and stores of a program's own.

export type { Model, ModelEvent, Prompt } from "../core/ports/model.ts";
export type { OwnFiles, OwnHost, OwnRun, OwnStat, OwnWalls } from "../core/ports/own-host.ts";
export type { Store } from "../core/ports/store.ts";
export { type ScriptOptions, type ScriptPace, scriptModel } from "../models/script-model.ts";
export type { MemoryHost, MemoryHostOptions } from "../testing/memory-host.ts";
export { createMemoryHost } from "../testing/memory-host.ts";
export type { ModelUnderTest, TestFunctions } from "../testing/model-contract.ts";
export { describeModel } from "../testing/model-contract.ts";
export type { StoreUnderTest } from "../testing/store/store-contract.ts";
export { describeStore } from "../testing/store/store-contract.ts";
