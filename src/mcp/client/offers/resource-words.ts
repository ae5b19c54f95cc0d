import { plural } from "../../../text/words.ts";
import type { ServerResource } from "./offer-list.ts";
import type { ResourceContent } from "./offer-texts.ts";

/** Names under which a server's resources are listed and read, unless a tool of its own is called so. */
export const LIST_RESOURCES = "list_resources";
export const READ_RESOURCE = "read_resource";

/** `demo://a  A (text/plain, 12 bytes): what it is` */
export function resourceLine({ uri, kind, name, description, mimeType, bytes }: ServerResource): string {
  const facts = [
    ...(kind === "template" ? ["template"] : []),
    ...(mimeType === undefined ? [] : [mimeType]),
    ...(bytes === undefined ? [] : [plural(bytes, "byte")]),
  ];
  const about = [name, facts.length === 0 ? "" : `(${facts.join(", ")})`].filter((part) => part !== "").join(" ");
  return [`${uri}${about === "" ? "" : `  ${about}`}`, description].filter((part) => part !== "").join(": ");
}

/** A part of a resource: its text, or what it is where it is none. */
export const contentText = (content: ResourceContent): string =>
  "text" in content ? content.text : `[${content.uri}: ${content.mimeType ?? "unknown type"}, ${plural(content.bytes, "byte")}, not shown]`;
