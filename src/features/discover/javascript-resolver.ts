/** Specifiers of JavaScript and TypeScript, followed to files of the repository. */
import { posix } from 'node:path';
import {
  asObject,
  asText,
  asTexts,
  jsoncManifest,
  jsonManifest,
  type ReadFile,
} from './manifest.ts';
import { baseName, isOwn, parent, within } from './source-tree.ts';

const ENDINGS = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs', '.d.ts', '.json'];

type Resolve = (specifier: string, from: string) => string | undefined;

export function javaScriptResolver(paths: readonly string[], readFile: ReadFile): Resolve {
  const tracked = new Set(paths);
  const named = (names: readonly string[]) =>
    paths.filter((path) => names.includes(baseName(path)) && isOwnFolder(parent(path)));
  const manifests = new Map(
    named(['package.json']).map((path) => [parent(path), jsonManifest(readFile, path)]),
  );
  const packages = new Map(
    [...manifests].map(([folder, manifest]) => [asText(manifest.name), folder]),
  );
  const aliases = new Map(
    named(['jsconfig.json', 'tsconfig.json']).map((path) => [
      parent(path),
      aliasesOf(readFile, path),
    ]),
  );

  const file = (base: string): string | undefined => {
    const source = base.replace(/\.([cm]?)js(x?)$/, '.$1ts$2');
    const tries = [base, source, source.replace(/\.ts$/, '.tsx')];
    const whole = [...tries, ...ENDINGS.map((it) => base + it)];
    const inside = ENDINGS.map((it) => within(base, `index${it}`));
    return [...whole, ...inside, within(base, 'package.json')].find((path) => tracked.has(path));
  };

  return (specifier, from) => {
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) return file(posix.join(parent(from), specifier));
    const own = nearest(parent(from), manifests);
    if (specifier.startsWith('#')) {
      const imports = Object.entries(asObject(own?.value.imports));
      const targets = imports.flatMap(([pattern, to]) =>
        matched(pattern, firstText(to), specifier),
      );
      return first(targets.map((it) => file(posix.join(own?.folder ?? '', it))));
    }
    const alias = nearest(parent(from), aliases)?.value ?? [];
    const meant = alias.flatMap(([pattern, to]) => matched(pattern, to, specifier));
    const [scope = '', ...rest] = specifier.split('/');
    const depth = scope.startsWith('@') ? 1 : 0;
    const folder = packages.get([scope, ...rest.slice(0, depth)].join('/'));
    const inPackage = [rest.slice(depth).join('/'), 'package.json'];
    return (
      first(meant.map(file)) ??
      (folder === undefined ? undefined : first(inPackage.map((it) => file(within(folder, it)))))
    );
  };
}

const isOwnFolder = (folder: string): boolean => folder === '' || isOwn(folder);

function first<T>(values: readonly (T | undefined)[]): T | undefined {
  return values.find((it) => it !== undefined);
}

/** The value of a folder, or of the nearest one above it that has one. */
function nearest<T>(start: string, values: ReadonlyMap<string, T>) {
  for (let folder = start; ; folder = parent(folder)) {
    const value = values.get(folder);
    if (value !== undefined) return { folder, value };
    if (folder === '') return undefined;
  }
}

/** What a pattern with at most one `*` makes of a specifier; empty if it does not fit. */
function matched(pattern: string, target: string, specifier: string): readonly string[] {
  const [head = '', tail] = pattern.split('*');
  if (target === '') return [];
  if (tail === undefined) return specifier === pattern ? [target] : [];
  if (specifier.length < head.length + tail.length) return [];
  if (!specifier.startsWith(head) || !specifier.endsWith(tail)) return [];
  return [target.replace('*', () => specifier.slice(head.length, specifier.length - tail.length))];
}

/** Of conditions in `imports` of a package.json, the first that leads to a file. */
function firstText(value: unknown): string {
  if (typeof value === 'string') return value;
  return first(Object.values(asObject(value)).map((it) => firstText(it) || undefined)) ?? '';
}

const MOST_EXTENDED = 5;

/** `paths` and `baseUrl` of a tsconfig.json and of those that it extends, with targets from the root. */
function aliasesOf(
  readFile: ReadFile,
  path: string,
  depth = 0,
): readonly (readonly [pattern: string, target: string])[] {
  const config = jsoncManifest(readFile, path);
  const folder = parent(path);
  const { paths, baseUrl } = asObject(config.compilerOptions);
  const base = posix.join(folder, asText(baseUrl) || '.');
  const own = Object.entries(asObject(paths)).flatMap(([pattern, targets]) =>
    asTexts(targets).map((it) => [pattern, posix.join(base, it)] as const),
  );
  const fromBase = asText(baseUrl) === '' ? [] : [['*', posix.join(base, '*')] as const];
  const parents = depth < MOST_EXTENDED ? [config.extends].flat().map(asText) : [];
  const inherited = parents
    .filter((it) => it.startsWith('.'))
    .map((it) => posix.join(folder, it.endsWith('.json') ? it : `${it}.json`))
    .flatMap((it) => aliasesOf(readFile, it, depth + 1));
  return [...own, ...(own.length === 0 ? inherited : []), ...fromBase];
}
