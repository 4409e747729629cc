/** Files at the root that concern every feature: those that say what is installed, and how all tests are run. */
import { literal } from './source-tree.ts';

const LOCK_FILES = new Set(
  `package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb deno.lock
  Cargo.lock go.sum go.work.sum poetry.lock uv.lock pdm.lock pixi.lock Pipfile.lock Gemfile.lock composer.lock
  mix.lock pubspec.lock Package.resolved gradle.lockfile`.split(/\s+/),
);

const SHARED =
  /^(?:requirements[\w.-]*\.txt|[jt]sconfig(?:\.[\w-]+)?\.json|(?:vitest|vite|jest|babel|playwright|mocha|ava|karma|cypress)\.(?:[\w-]+\.)?(?:config|setup|workspace)\.(?:[cm]?[jt]s|json)|\.?(?:babelrc|mocharc|swcrc|jest|npmrc|pnpmfile)(?:\.(?:json|[cm]?js|ya?ml))?|pytest\.ini|tox\.ini|setup\.cfg|conftest\.py|\.nvmrc|\.node-version|\.python-version|\.ruby-version|\.tool-versions|mise\.toml|rust-toolchain(?:\.toml)?|go\.work|phpunit\.xml(?:\.dist)?)$/;

/** The globs for `gate.always`, sorted. */
export function sharedFiles(paths: readonly string[]): readonly string[] {
  return paths
    .filter((it) => LOCK_FILES.has(it) || SHARED.test(it))
    .map(literal)
    .sort();
}
