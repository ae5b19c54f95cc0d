export const QUEUE_TABLES = "";
