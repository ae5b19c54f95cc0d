export const STORE_TABLES = "";
