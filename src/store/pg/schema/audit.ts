export const AUDIT_TABLES = "";
