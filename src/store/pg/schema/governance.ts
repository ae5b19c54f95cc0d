export const GOVERNANCE_TABLES = "";
