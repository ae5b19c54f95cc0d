import { openPersonQuotas } from "../../src/fleet/govern/person-quota.ts";
import { openPg } from "../../src/store/pg/pg.ts";

/** Asks for so many calls at once, and prints how many it got. What is left of its blocks is given back at the end. */
const [url, tenant, count, most] = process.argv.slice(2) as [string, string, string, string];
const db = openPg({ url, tenant, max: 3 });
const quotas = openPersonQuotas(db);
const session = quotas.open(() => "ann");
const calls = Array.from({ length: Number(count) }, (_, n) => `c${n}`);
await Promise.all(calls.map((id) => session.reserve(id, { calls_per_day: Number(most), people: {} })));
const allowed = calls.filter((id) => session.refusal(id) === null);
for (const id of allowed) session.count(id);
await session.close();
await db.close();
process.stdout.write(String(allowed.length));
