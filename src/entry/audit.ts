// zeph/audit: a log that shows whether it was changed.

export type { AuditEntry, AuditLog, AuditPage, AuditProblem, Verification } from "../core/ports/audit.ts";
export type { AuditOptions, OpenAudit } from "../runtime/alone/audit.ts";
export { openAudit, readAuditTail, verifyAuditLog } from "../runtime/alone/audit.ts";
