const SHARE = Number(process.env.EFFORT ?? 1);

/** How many examples, rounds or bytes a test takes of what it usually does. `npm run check` and `npm test` take a part (EFFORT), a file by itself and the property tests of `npm run test:all` everything. */
export const effort = (usual: number): number => Math.max(1, Math.ceil(usual * SHARE));

/** An even share of a list of examples, its first always among them. */
export const shareOf = <T>(all: readonly T[]): T[] => {
  const many = effort(all.length);
  return all.filter((_, n) => n === 0 || Math.floor((n * many) / all.length) > Math.floor(((n - 1) * many) / all.length));
};
