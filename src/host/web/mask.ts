export { maskUrl } from "../../core/url.ts";
