/** The shape of the source: which file may import what, and where SQL and other programs appear. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '..', 'src');

interface SourceFile {
  /** Relative to `src`, `/`-separated. */
  readonly path: string;
  readonly text: string;
  /** Relative to `src`: static, dynamic and type-only imports alike. */
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

const files: readonly SourceFile[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replaceAll('\\', '/'))
  .map((path) => {
    const text = readFileSync(join(SOURCE, path), 'utf8');
    const specifiers = Array.from(
      text.matchAll(/(?:^import |\bfrom |\bimport\()'([^']+)'/gm),
      ([, specifier]) => specifier ?? '',
    );
    const isOwn = (specifier: string) => specifier.startsWith('.');
    return {
      path,
      text,
      imports: specifiers.filter(isOwn).map((it) => join(dirname(path), it).replaceAll('\\', '/')),
      packages: specifiers.filter((it) => !isOwn(it)),
    };
  });

const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));

/** All that a file imports, directly or through others, but not through those that are left out. */
function reachedFrom(path: string, leftOut = /^$/): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...(importsOf.get(path) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next) || leftOut.test(next)) continue;
    reached.add(next);
    open.push(...(importsOf.get(next) ?? []));
  }
  return reached;
}

const whereText = (pattern: RegExp, allowed: RegExp): string[] =>
  files.filter(({ path, text }) => !allowed.test(path) && pattern.test(text)).map((it) => it.path);

const whereImported = (pattern: RegExp, allowed: RegExp): string[] =>
  files
    .filter(({ path, packages }) => !allowed.test(path) && packages.some((it) => pattern.test(it)))
    .map((it) => it.path);

test('finds the imports of a file', () => {
  const open = files.find(({ path }) => path === 'store/open.ts');
  expect(open?.imports).toContain('store/connect.ts');
  expect(open?.imports).toContain('store/migrate.ts');
  expect(open?.packages).toContain('better-sqlite3');
});

test('no file imports itself through others, not even for a type', () => {
  const looping = files.map(({ path }) => path).filter((path) => reachedFrom(path).has(path));
  expect(looping).toEqual([]);
});

test('nothing that is exported changes: the hook takes a copy of it', () => {
  expect(whereText(/^export let /m, /^$/)).toEqual([]);
});

test('SQL is in src/store alone', () => {
  expect(
    whereText(/\bdb\.(?:prepare|pragma|exec)[<(]/, /^store\/|^base\/process\/held-lock\.ts$/),
  ).toEqual([]);
  expect(
    whereImported(/^(?:better-sqlite3|node:sqlite)$/, /^store\/|^base\/process\/held-lock\.ts$/),
  ).toEqual([]);
});

test('one file starts programs on the hook path, one all others; git is started by src/base/git', () => {
  // A plugin runs in the process of its agent, with nothing of ours beside it.
  const ofHooks = /^base\/process\/run\.ts$|^agents\/[^/]+\/plugin\.ts$/;
  const started = /(?:\bfrom |\bimport\(|\bgetBuiltinModule\()'(?:node:)?child_process'/;
  expect(whereText(started, ofHooks)).toEqual([]);
  expect(whereImported(/^execa$/, /^base\/process\/program\.ts$/)).toEqual([]);
  expect(whereText(/\brun(?:Attached|Program)?\(\s*'git'/, /^base\/git\//)).toEqual([]);
  expect(whereImported(/^simple-git$/, /^base\/git\//)).toEqual([]);
});

/** What the bundle of the hook leaves out: `scripts/build-hook.mjs`. */
const OF_COMMANDS = /^agents\/[^/]+\/(?:install|worker)\.ts$/;

test('the hook path leads to no library that starts slowly, not even later', () => {
  const reached = reachedFrom('moments/hook/main.ts', OF_COMMANDS);
  const packages = new Set(
    files.filter(({ path }) => reached.has(path)).flatMap((it) => it.packages),
  );
  expect(packages).toContain('better-sqlite3');
  const slow = ['execa', 'simple-git', 'commander', 'chalk', 'zod'];
  expect(slow.filter((it) => packages.has(it))).toEqual([]);
  expect(reached).toContain('base/process/run.ts');
  expect(reached).not.toContain('base/process/program.ts');
});

test('hooks and supervisors load the small variant of zod: the other is half a megabyte', () => {
  const loaded = ['moments/hook/main.ts', 'lanes/run/main.ts'].flatMap((it) => [
    ...reachedFrom(it),
  ]);
  const withZod = new Set(whereImported(/^zod$/, /^$/));
  expect(loaded).toContain('lanes/run/refused-work.ts');
  expect(loaded.filter((it) => withZod.has(it))).toEqual([]);
});

test('only its command loads the MCP server, and only the server loads its SDK', () => {
  const loading = files
    .filter(
      ({ path, imports }) =>
        !path.startsWith('fronts/mcp/') && imports.some((it) => it.startsWith('fronts/mcp/')),
    )
    .map(({ path }) => path);
  expect(loading).toEqual(['fronts/cli/commands/mcp.ts']);
  expect(whereImported(/^@modelcontextprotocol\//, /^fronts\/mcp\//)).toEqual([]);
  // Lazily: the command is declared at every start of the program.
  const command = files.find(({ path }) => path === 'fronts/cli/commands/mcp.ts');
  expect(command?.text).not.toMatch(/^import [^;]*mcp\/serve/m);
});
