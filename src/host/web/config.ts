import * as z from "zod";
import { setting } from "../../core/setting.ts";
import { makeOnce } from "../../text/make-once.ts";
import { isDomainPattern } from "./domains.ts";

const domains = makeOnce(() =>
  z.array(z.string().refine(isDomainPattern, "is not a domain; write `example.com`, or `*.example.com` for its subdomains")),
);

export const scrapeConfig = makeOnce(() =>
  z
    .strictObject({
      timeout: setting(
        z.number().min(0.1).max(600).default(15),
        "Seconds a page may take, from the first lookup to the last byte, redirects included.",
        "smaller",
      ),
      max_body_bytes: setting(
        z
          .int()
          .min(1024)
          .max(16 * 1024 * 1024)
          .default(1024 * 1024),
        "A body is cut here, as it was sent and as it was unpacked.",
        "smaller",
      ),
      allowed_domains: setting(
        domains().default([]),
        "When not empty, only these domains are reached, redirects included, and no bare address. `example.com` is that name alone, `*.example.com` its subdomains.",
        "narrows",
      ),
      denied_domains: setting(
        domains().default([]),
        "Domains that are never reached, written like `allowed_domains`. They always win.",
        "adds",
      ),
      ports: setting(
        z.array(z.int().min(1).max(65_535)).default([443]),
        "Ports that may be used. An empty list closes the web.",
        "narrows",
      ),
    })
    .prefault({}),
);
export type ScrapeConfig = z.output<ReturnType<typeof scrapeConfig>>;
