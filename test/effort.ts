const SHARE = Number(process.env.EFFORT ?? 1);

/** How many examples, rounds or bytes a test takes of what it usually does. `npm run check` and `npm test` take a part (EFFORT), a file by itself and the property tests of `npm run test:all` everything. */
export const effort = (usual: number): number => Math.max(1, Math.ceil(usual * SHARE));
