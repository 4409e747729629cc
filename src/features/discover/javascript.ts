/** Workspaces of npm, pnpm, Yarn and Bun, and how a JavaScript repository runs its tests. */
import type { SmokeTest } from '../../config/feature.ts';
import type { JsonObject } from '../../text/json.ts';
import {
  asObject,
  asText,
  asTexts,
  jsonManifest,
  type Package,
  type ReadFile,
  smokeTest,
  yamlManifest,
} from './manifest.ts';
import { workspaceFolders } from './packages.ts';
import { baseName, everythingIn, isPlain, type SourceTree, within } from './source-tree.ts';

type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

export interface JavaScriptRoot {
  readonly manifest: JsonObject;
  readonly manager: PackageManager;
}

export function javaScriptRoot(tree: SourceTree, readFile: ReadFile): JavaScriptRoot | undefined {
  if (!tree.files('').includes('package.json')) return undefined;
  const manifest = jsonManifest(readFile, 'package.json');
  return { manifest, manager: packageManager(manifest, tree.files('')) };
}

const LOCK_FILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['pnpm-workspace.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

function packageManager(manifest: JsonObject, rootFiles: readonly string[]): PackageManager {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(asText(manifest.packageManager))?.[1];
  if (named !== undefined) return named as PackageManager;
  return LOCK_FILES.find(([file]) => rootFiles.includes(file))?.[1] ?? 'npm';
}

/** One part for each workspace that the repository declares. */
export function workspaces(
  tree: SourceTree,
  readFile: ReadFile,
  { manifest, manager }: JavaScriptRoot,
): readonly Package[] {
  const declared = manifest.workspaces;
  const source = Array.isArray(declared) ? declared : asObject(declared).packages;
  const lerna = asTexts(jsonManifest(readFile, 'lerna.json').packages);
  const pnpm = asTexts(yamlManifest(readFile, 'pnpm-workspace.yaml').packages);
  const globs = [...asTexts(source), ...pnpm, ...lerna];
  return workspaceFolders(tree, globs, 'package.json').map((folder) => {
    const own = jsonManifest(readFile, within(folder, 'package.json'));
    const name = asText(own.name);
    return {
      folder,
      names: [name.replace(/^@[^/]*\//, ''), baseName(folder), name, folder],
      files: [everythingIn(folder)],
      smoke: hasTestScript(own) ? [workspaceTest(manager, name, folder)] : [],
      ids: [`javascript:${name}`],
      needs: dependencyNames(own).map((it) => `javascript:${it}`),
      because: `workspace \`${folder}\` of the root package.json`,
    };
  });
}

const DEPENDENCIES = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
] as const;

const dependencyNames = (manifest: JsonObject): readonly string[] =>
  DEPENDENCIES.flatMap((key) => Object.keys(asObject(manifest[key])));

const scripts = (manifest: JsonObject): JsonObject => asObject(manifest.scripts);

/** Not counting the placeholder that `npm init` writes. */
function hasTestScript(manifest: JsonObject): boolean {
  const script = asText(scripts(manifest).test);
  return script !== '' && !script.includes('no test specified');
}

function workspaceTest(manager: PackageManager, name: string, folder: string): SmokeTest {
  if (!/^(?:@[\w.-]+\/)?[\w][\w.-]*$/.test(name)) return smokeTest(`${manager} test`, folder);
  switch (manager) {
    case 'npm':
      return smokeTest(`npm test --workspace ${name}`);
    case 'pnpm':
      return smokeTest(`pnpm --filter ${name} test`);
    case 'yarn':
      return smokeTest(`yarn workspace ${name} test`);
    case 'bun':
      return smokeTest('bun run test', folder);
  }
}

const EXEC: Readonly<Record<PackageManager, string>> = {
  npm: 'npx',
  pnpm: 'pnpm exec',
  yarn: 'yarn',
  bun: 'bunx',
};

/**
 * The command that tests one part of a package: its own script, the runner on its paths, or all tests.
 *
 * @param paths files and folders with its tests; without them all tests run.
 */
export function javaScriptTest(
  { manifest, manager }: JavaScriptRoot,
  name: string,
  paths: readonly string[],
): SmokeTest | undefined {
  const own = Object.keys(scripts(manifest)).find((script) => script === `test:${name}`);
  if (own !== undefined && isPlain(name)) return smokeTest(`${manager} run ${own}`);
  const runner = testRunner(manifest);
  if (runner !== undefined && paths.length > 0 && paths.every(isPlain)) {
    return smokeTest(`${EXEC[manager]} ${runner} ${paths.join(' ')}`);
  }
  return hasTestScript(manifest) ? smokeTest(`${manager} test`) : undefined;
}

function testRunner(manifest: JsonObject): string | undefined {
  const known = dependencyNames(manifest);
  const script = asText(scripts(manifest).test);
  if (known.includes('vitest') || /\bvitest\b/.test(script)) return 'vitest run';
  return known.includes('jest') || /\bjest\b/.test(script) ? 'jest' : undefined;
}

export const javaScriptName = ({ manifest }: JavaScriptRoot): string =>
  asText(manifest.name).replace(/^@[^/]*\//, '');
