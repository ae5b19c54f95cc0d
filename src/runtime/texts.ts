import type { Texts } from "../core/ports/texts.ts";
import { openTexts } from "../host/texts/threads.ts";

/** Beside this file wherever it lies: in the library, in the command's bundle, and built there before tests. */
export const openTextThreads = (): Texts => openTexts(new URL("./text-worker.js", import.meta.url));
