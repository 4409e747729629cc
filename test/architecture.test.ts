/** The shape of the source: which file may import what, and where SQL and other programs appear. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
      text.matchAll(/(?:^import |\bfrom |\bimport\(\s*)'([^']+)'/gm),
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

const importedBy = new Map(files.map(({ path, imports }) => [path, imports]));

/** The same without what the compiler takes out. */
const loadedBy = new Map(
  files.map(({ path, text, imports }) => {
    const code = text.replaceAll(/^import type [^;]*;$/gm, '');
    return [path, imports.filter((it) => code.includes(`/${basename(it)}'`))];
  }),
);

/** All that a file imports, directly or through others, but not through those that are left out. */
function reachedFrom(path: string, leftOut = /^$/, importsOf = importedBy): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...(importsOf.get(path) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next) || leftOut.test(next)) continue;
    reached.add(next);
    open.push(...(importsOf.get(next) ?? []));
  }
  return reached;
}

/**
 * The picture: rooms from top to bottom. What stands further down may be imported, what stands in the same
 * line may not. A room is the folder of this name with all folders in it that have no line of their own.
 */
const PICTURE = `
  fronts
  fronts/cli
  fronts/mcp fronts/page
  fronts/words
  app/view
  app/team
  app/lanes app/recall app/setup
  app/hold
  app
  moments/hook
  moments/resident
  moments/lifecycle
  moments/watch
  team
  lanes/keep
  lanes/look
  lanes/queue
  lanes/run
  lanes/pull
  lanes/start
  lanes/talk
  lanes/fit
  lanes/stand
  lanes/judge
  lanes/tree
  lanes/settings
  lanes/spec
  recall
  gate
  git-hold
  install
  checkout
  evidence
  features
  commands
  agents
  store
  base/config
  base/git
  base/process
  base/files
  base/text
  base`;

const levels = PICTURE.trim()
  .split('\n')
  .map((line) => line.trim().split(' '));

/** The room of a file, `undefined` if it stands in none. */
function roomOf(path: string): string | undefined {
  const around = levels.flat().filter((room) => path.startsWith(`${room}/`));
  return around.toSorted((a, b) => b.length - a.length)[0];
}

const levelOf = (room: string | undefined): number =>
  levels.findIndex((rooms) => room !== undefined && rooms.includes(room));

/** What is wrong with an import; `undefined` if it points down. */
function wrongArrow(from: string, to: string): string | undefined {
  const [above, below] = [roomOf(from), roomOf(to)];
  if (above !== undefined && above === below) return undefined;
  if (below !== undefined && levelOf(above) < levelOf(below)) return undefined;
  return `${from} (${above}) imports ${to} (${below}), which is not below it`;
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

test('every file stands in a room of the picture, and no room is empty', () => {
  const rooms = files.map(({ path }) => roomOf(path));
  expect(files.map(({ path }) => path).filter((_, at) => rooms[at] === undefined)).toEqual([]);
  expect(levels.flat().filter((room) => !rooms.includes(room))).toEqual([]);
});

test('a room imports only what is below it in the picture, not even a type or lazily from above', () => {
  const wrong = files.flatMap(({ path, imports }) =>
    imports.flatMap((it) => wrongArrow(path, it) ?? []),
  );
  expect(wrong).toEqual([]);
});

test.each([
  ['lanes/spec/spec.ts', 'lanes/queue/queue.ts'],
  ['fronts/mcp/server.ts', 'fronts/page/serve.ts'],
  ['base/text/json.ts', 'base/errors.ts', 'points down'],
  ['gate/decide.ts', 'app/context.ts'],
  ['gate/decide.ts', 'gate/git/read-push.ts', 'points down'],
])('in the picture %s -> %s', (from, to, verdict = 'is wrong') => {
  expect(wrongArrow(from, to) === undefined).toBe(verdict === 'points down');
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

test('one file starts programs on the hook path, one all others; git is started in one', () => {
  // A plugin runs in the process of its agent, with nothing of ours beside it.
  const ofHooks = /^base\/process\/run\.ts$|^agents\/[^/]+\/plugin\.ts$/;
  const started = /(?:\bfrom |\bimport\(|\bgetBuiltinModule\()'(?:node:)?child_process'/;
  expect(whereText(started, ofHooks)).toEqual([]);
  expect(whereImported(/^execa$/, /^base\/process\/program\.ts$/)).toEqual([]);
  expect(whereText(/\brun\w*\(\s*'git'/, /^base\/git\/small-git\.ts$/)).toEqual([]);
  expect(whereImported(/^simple-git$/, /^base\/git\/git-in\.ts$/)).toEqual([]);
});

/** What the bundle of the hook leaves out: `scripts/build-hook.mjs`. */
const OF_COMMANDS = /^agents\/[^/]+\/(?:install|worker)\.ts$/;

test('the hook path leads to no library that starts slowly, not even later', () => {
  const reached = reachedFrom('moments/hook/main.ts', OF_COMMANDS, loadedBy);
  const packages = new Set(
    files.filter(({ path }) => reached.has(path)).flatMap((it) => it.packages),
  );
  expect(packages).toContain('better-sqlite3');
  const slow = ['execa', 'commander', 'chalk', 'zod'];
  expect(slow.filter((it) => packages.has(it))).toEqual([]);
  expect(reached).toContain('base/process/run.ts');
  expect(reached).not.toContain('base/process/program.ts');
});

test('hooks and supervisors load the small variant of zod: the other is half a megabyte', () => {
  const loaded = ['moments/hook/main.ts', 'lanes/run/main.ts'].flatMap((it) => [
    ...reachedFrom(it, /^$/, loadedBy),
  ]);
  const withZod = new Set(whereImported(/^zod$/, /^$/));
  expect(loaded).toContain('lanes/run/prompt-for.ts');
  expect(loaded.filter((it) => withZod.has(it))).toEqual([]);
});

test('a machine without a team loads nothing of one: only the doors do, and lazily', () => {
  const ofTeam =
    /^team\/|^app\/team\/|^app\/hold\/team[\w-]*\.ts$|^app\/lanes\/team-answers\.ts$|^store\/team[\w-]*\.ts$/;
  const doors = files.filter(
    ({ path, imports, text }) =>
      !ofTeam.test(path) && imports.some((it) => ofTeam.test(it) && !typesAlone(text, it)),
  );
  expect(doors.map(({ path }) => path).sort()).toEqual([
    'app/hold/gate.ts',
    'app/hold/verification.ts',
    'app/lanes/integration.ts',
    'app/lanes/lane-messages.ts',
    'app/lanes/team-lanes.ts',
    'app/setup/settings.ts',
    'app/view/health.ts',
    'app/view/memory.ts',
    'fronts/cli/commands/note.ts',
    'fronts/cli/commands/orchestrate.ts',
    'fronts/cli/commands/team-host.ts',
    'fronts/cli/commands/team.ts',
  ]);
  const atOnce = /^import (?!type )[^;]*\/(?:app\/hold|\.)\/team\.ts'/m;
  expect(doors.filter(({ text }) => atOnce.test(text))).toEqual([]);
  expect(whereImported(/^pg$/, /^team\/board\/connection\.ts$/)).toEqual([]);
  const ofHooks = [...reachedFrom('moments/hook/main.ts', OF_COMMANDS, loadedBy)];
  expect(ofHooks.filter((it) => ofTeam.test(it))).toEqual([]);
});

const typesAlone = (text: string, imported: string): boolean =>
  !text.replaceAll(/^import type [^;]*;$/gm, '').includes(`/${basename(imported)}'`);

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

test.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names only what is there', (page) => {
  const root = join(SOURCE, '..');
  const text = readFileSync(join(root, page), 'utf8');
  const named = text.match(/\b(?:src|test|hooks|bench|scripts)\/[\w./-]*\w(?![\w<*])/g) ?? [];
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  // Where the folder is clear from before: `round.ts`.
  const alone = Array.from(text.matchAll(/`([\w-]+\.ts)`/g), ([, name]) => `/${name}`);
  const missing = alone.filter((name) => !files.some(({ path }) => `/${path}`.endsWith(name)));
  expect(missing).toEqual([]);
});

test('docs/architecture.md lists the rooms of the picture in its order', () => {
  const page = readFileSync(join(SOURCE, '../docs/architecture.md'), 'utf8');
  const listed = (text: string, row: RegExp) => Array.from(text.matchAll(row), ([, it]) => it);
  const rooms = levels.flat();
  const outer = new Set(rooms.map((room) => room.split('/')[0]));
  expect(listed(page, /^\| `src\/([\w-]+)` \|/gm)).toEqual([...outer]);
  const ofLanes = rooms.flatMap((room) => (room.startsWith('lanes/') ? room.slice(6) : []));
  const table = page.slice(page.indexOf('The rooms of `src/lanes`'), page.indexOf('## One event'));
  expect(listed(table, /^\| `(\w+)` \|/gm)).toEqual(ofLanes.toReversed());
});
