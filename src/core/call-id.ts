/** So much of a call's id is shown to a person. */
export const SHOWN_CALL_ID = 8;
/** Fewer characters of it are a guess. */
export const SHORTEST_CALL_ID = 6;
