import * as z from "zod";

/** A page's address. What may be asked is for the host to say, on every hop. */
export const webAddress = () =>
  z
    .string()
    .min(1)
    .max(4096)
    .refine((text) => /^\s*[a-z][a-z0-9+.-]*:/i.test(text), "give a whole URL, such as https://example.com/page")
    .describe("The https URL, as the user or a tool result gave it");
