/** Variables that point package managers into the cache of the workspace, whatever its place inside is. */
export const cacheVariables = (cache: string): Record<string, string> => ({
  npm_config_cache: `${cache}/npm`,
  npm_config_update_notifier: "false",
  npm_config_fund: "false",
  YARN_CACHE_FOLDER: `${cache}/yarn`,
  YARN_GLOBAL_FOLDER: `${cache}/yarn-berry`,
  CARGO_HOME: `${cache}/cargo`,
  GOMODCACHE: `${cache}/go-mod`,
  GRADLE_USER_HOME: `${cache}/gradle`,
  MAVEN_OPTS: `-Dmaven.repo.local=${cache}/m2`,
  NUGET_PACKAGES: `${cache}/nuget`,
  DENO_DIR: `${cache}/deno`,
});
