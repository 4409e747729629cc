/** What a validation depends on besides the commit: results with other hashes are not comparable. */
import { createHash } from 'node:crypto';
import type { Environment } from '../../base/environment.ts';

/** Raised whenever the hashed bytes change shape; older results then no longer match. */
const FORMAT = 'validation/1';

/**
 * @param cwd relative to the worktree's root, since each attempt has its own folder.
 * @param timeoutMs part of the hash, since a longer timeout may give another result.
 */
export function commandHash(command: string, cwd: string, timeoutMs: number): string {
  return digest([FORMAT, command, cwd, timeoutMs]);
}

/** Variables that often change the result of tests; others differ in every shell. */
const MATTERS =
  /^(?:PATH|CI|TZ|LANG|LANGUAGE|LC_\w+|NODE_(?:ENV|OPTIONS|PATH)|npm_config_\w+|PYTHON\w*|PYTEST_\w+|VIRTUAL_ENV|CONDA_PREFIX|GO\w+|CGO_\w+|RUST\w*|CARGO_\w+|JAVA_\w+|JDK_\w+|MAVEN_\w+|GRADLE_\w+|RUBY\w*|BUNDLE_\w+|GEM_\w+|PHP\w*|COMPOSER_\w+|DOTNET_\w+|CC|CXX|C(?:XX|PP)?FLAGS|LDFLAGS|MAKEFLAGS)$/;
const SECRET = /TOKEN|SECRET|PASSW|CREDENTIAL|_authToken|_KEY$/i;

/** Names and values of the variables that matter; only the names of those that look secret. */
export function environmentHash(env: Environment): string {
  const known = Object.entries(env)
    .filter(([name, value]) => value !== undefined && MATTERS.test(name))
    .map(([name, value]) => [name, SECRET.test(name) ? '' : value] as const);
  return digest([FORMAT, ...known.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
