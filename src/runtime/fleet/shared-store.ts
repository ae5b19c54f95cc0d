// What `zeph store` does with a database that machines share: nothing else makes or changes its tables.
export { checkStore, type StoreCheck } from "../../store/pg/check.ts";
export { type CopiedRows, copyStore } from "../../store/pg/copy/copy-store.ts";
export { initStore, migrateStore, ROLES, type SchemaChange } from "../../store/pg/migrate.ts";
export { readStoreUrl } from "../../store/pg/place.ts";
