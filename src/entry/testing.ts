// zeph/testing: a scripted model, a machine in memory, and the test suite for a model of your own.

export type { Model, ModelEvent, Prompt } from "../core/ports/model.ts";
export type { OwnFiles, OwnHost, OwnRun, OwnStat, OwnWalls } from "../core/ports/own-host.ts";
export { type ScriptOptions, type ScriptPace, scriptModel } from "../models/script-model.ts";
export type { MemoryHost, MemoryHostOptions } from "../testing/memory-host.ts";
export { createMemoryHost } from "../testing/memory-host.ts";
export type { ModelUnderTest, TestFunctions } from "../testing/model-contract.ts";
export { describeModel } from "../testing/model-contract.ts";
