import type { Store } from "../../../src/core/ports/store.ts";

/** Runs a test with a store of its own. */
export type WithStore = (test: (store: Store) => Promise<void>) => () => Promise<void>;
