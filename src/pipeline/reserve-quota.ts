import type { Layer } from "../core/layer.ts";
import type { PersonQuota, QuotaLimits } from "../core/ports/fleet/govern.ts";
import type { ToolRequest } from "../core/request.ts";

/** Sets a call of the person aside before it is judged: the gate that counts waits for nobody. */
export const reserveQuota =
  (quota: PersonQuota, limits: () => QuotaLimits): Layer<ToolRequest> =>
  async ({ id }, _ctx, next) => {
    await quota.reserve(id, limits());
    try {
      return await next();
    } finally {
      quota.release(id);
    }
  };
