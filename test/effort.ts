const SHARE = Number(process.env.EFFORT ?? 1);

/** How many examples, rounds or bytes a test takes of what it usually does. `npm run check` and `npm test` take a part (EFFORT), `npm run test:all` and a file by itself everything. */
export const effort = (usual: number): number => Math.max(1, Math.ceil(usual * SHARE));
