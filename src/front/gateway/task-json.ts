import type { ApprovalView, SubmittedTask, TaskView } from "./door.ts";

export const taskJson = ({ createdAt, endedAt, ...task }: TaskView): object => ({
  ...task,
  created_at: new Date(createdAt).toISOString(),
  ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
});

export const submittedJson = ({ id, key, isNew }: SubmittedTask): object => ({ id, key, is_new: isNew });

export const approvalJson = ({ askedBy, askedAt, until, ...rest }: ApprovalView): object => ({
  ...rest,
  asked_by: askedBy,
  asked_at: new Date(askedAt).toISOString(),
  until: new Date(until).toISOString(),
});
