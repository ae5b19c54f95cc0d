export const SESSION_TABLES = "";
