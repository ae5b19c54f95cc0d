/** A text as one part of an address. Half a character cannot stand in one, and an id of a stranger may hold any. */
export const addressPart = (text: string): string => encodeURIComponent(text.toWellFormed());
