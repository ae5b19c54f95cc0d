/** A text as a part of an address. Half a character, which a log may hold, has no address: what it stands in for does. */
export const addressPart = (text: string): string => encodeURIComponent(text.toWellFormed());
