export { maskUrl } from "../../text/url.ts";
