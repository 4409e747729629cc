import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/base/process/run.ts';
import { linkFolder } from '../../src/checkout/copy-folder.ts';
import { findSetups, type Setup } from '../../src/checkout/find-setups.ts';
import { runSetup } from '../../src/checkout/setup.ts';
import { ensureWorktree } from '../../src/lanes/tree/create.ts';
import { laneRepository } from '../lanes/tree/lane-repository.ts';

/** A project whose packages are installed by npm from folders; each lane is a worktree that is set up. */
async function npmProject(manager: 'npm' | 'pnpm' = 'npm') {
  const repository = laneRepository();
  const { box, repo } = repository;
  const own = { name: 'app', version: '1.0.0', scripts: { prepare: 'husky' } };
  const lock = manager === 'npm' ? 'package-lock.json' : 'pnpm-lock.yaml';
  box.write('repo/.gitignore', 'node_modules\nvendor\n');
  for (const name of ['one', 'two']) {
    const folder = `packages/${name}`;
    box.write(`${folder}/package.json`, JSON.stringify({ name, version: '1.0.0' }));
    box.write(`${folder}/index.js`, `module.exports = '${name}';\n`);
  }
  const packages = ['one', 'two'].map((it) => join(box.root, 'packages', it));
  const dependencies = { one: `file:../one-1.0.0.tgz`, two: `file:../two-1.0.0.tgz` };
  box.write('repo/package.json', JSON.stringify({ ...own, dependencies }));
  if (manager === 'pnpm') box.write('repo/pnpm-lock.yaml', 'lockfileVersion: 9\n');
  else {
    await inFolder('npm', ['pack', '--silent', ...packages], box.root);
    await inFolder('npm', INSTALL, repo);
    // As some packages do it with their programs.
    const { root } = box;
    linkSync(
      join(root, 'repo/node_modules/one/index.js'),
      join(root, 'repo/node_modules/two/one.js'),
    );
  }
  const sha = box.commit(repo);
  const logs = join(box.laneholdHome, 'logs');
  mkdirSync(logs, { recursive: true });
  return {
    ...repository,
    shared: join(box.laneholdHome, 'cache/shared'),
    async lane(
      name: string,
      options: { env?: typeof box.env; change?: (tree: string) => unknown; setup?: Setup } = {},
    ) {
      const { env = box.env, change } = options;
      const wish = repository.wish(name, { sha });
      await ensureWorktree(wish);
      change?.(wish.path);
      const paths = ['package.json', lock];
      const search = { root: wish.path, paths, folders: [''], installedIn: [repo] };
      const { setup = findSetups(search)[0] } = options;
      if (setup === undefined) throw new Error('no setup was found');
      const known = { locks: wish.locks, project: wish.repository.identity };
      const cacheIn = (folder: string) => ({ ...known, folder: join(box.laneholdHome, folder) });
      const done = await runSetup({
        ...{ setup, worktree: wish.path, installedIn: [repo], setting: 'lanes.setup', env },
        ...{ logFile: join(logs, `${name}.log`), signal: new AbortController().signal },
        now: () => new Date(),
        cache: cacheIn('cache/setup'),
        links: { shared: { ...cacheIn('cache/shared'), isShared: true } },
      });
      return { kind: done.kind, tree: wish.path };
    },
  };
}

const INSTALL = ['install', '--silent', '--offline', '--ignore-scripts', '--no-audit'];

async function inFolder(program: string, args: readonly string[], cwd: string): Promise<void> {
  const outcome = await run(program, args, { cwd, env: process.env, timeoutMs: 60_000 });
  if (outcome.kind !== 'exited' || outcome.exitCode !== 0) throw new Error(JSON.stringify(outcome));
}

const inodeOf = (tree: string, path: string) => statSync(join(tree, path)).ino;

test('lanes share the files of packages, each with folders of its own and what npm notes there', async () => {
  const { box, repo, lane, shared } = await npmProject();
  box.write('repo/node_modules/.vitest-cache/module', 'made by a tool');
  const [a, b] = [await lane('a'), await lane('b')];
  expect([a.kind, b.kind]).toEqual(['copied', 'linked']);
  const file = 'node_modules/one/index.js';
  expect(inodeOf(a.tree, file)).toBe(inodeOf(b.tree, file));
  expect(inodeOf(a.tree, file)).not.toBe(inodeOf(repo, file));
  expect(lstatSync(join(b.tree, file)).mode & 0o222).toBe(0);
  expect(lstatSync(join(repo, file)).mode & 0o200).toBe(0o200);
  const notes = 'node_modules/.package-lock.json';
  expect(inodeOf(a.tree, notes)).not.toBe(inodeOf(b.tree, notes));
  expect(lstatSync(join(b.tree, notes)).mode & 0o200).toBe(0o200);

  // A package more in one lane, and a cache of a tool there, are in no other.
  await inFolder('npm', [...INSTALL, '--no-save', join(box.root, 'packages/two')], b.tree);
  box.write(`${b.tree}/node_modules/.cache/tool`, 'b');
  box.write(`${b.tree}/node_modules/one/new.js`, 'b');
  const c = await lane('c');
  expect(c.kind).toBe('linked');
  expect(readdirSync(join(c.tree, 'node_modules')).sort()).toEqual(
    readdirSync(join(repo, 'node_modules'))
      .filter((it) => it !== '.vitest-cache')
      .sort(),
  );
  expect(readdirSync(join(c.tree, 'node_modules/one')).sort()).toEqual([
    'index.js',
    'package.json',
  ]);

  // An ordinary user's test cannot write into a shared file.
  const target = join(b.tree, file);
  const write = `require('node:fs').appendFileSync(${JSON.stringify(target)}, '// changed')`;
  const program = [process.execPath, '-e', write];
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(target, 65_534, 65_534);
  const asUser = isRoot
    ? ['--reuid=65534', '--regid=65534', '--clear-groups', ...program]
    : program;
  const outcome = await run(isRoot ? 'setpriv' : 'env', asUser, { cwd: '/', env: process.env });
  expect(outcome).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('EACCES') });

  // What a program has changed all the same is not handed out again.
  chmodSync(join(b.tree, file), 0o644);
  appendFileSync(join(b.tree, file), '// changed\n');
  const d = await lane('d');
  expect(d.kind).toBe('copied');
  expect(readFileSync(join(d.tree, file), 'utf8')).toBe("module.exports = 'one';\n");
  // Other packages in the main checkout are others in the lanes.
  box.write('repo/node_modules/three/index.js', '');
  const e = await lane('e');
  expect(e.kind).toBe('copied');
  expect(existsSync(join(e.tree, 'node_modules/three/index.js'))).toBe(true);
  expect(readdirSync(shared)).toHaveLength(1);
});

test('the store of pnpm is asked where nothing can be copied, by the call that its documentation names, and nothing is left of a try that fails', async () => {
  const { box, repo, lane } = await npmProject('pnpm');
  const calls = join(box.root, 'calls');
  const pnpm = (script: string) => {
    box.write('bin/pnpm', `#!/bin/sh\necho "$@" >> ${calls}\n${script}\n`);
    chmodSync(join(box.root, 'bin/pnpm'), 0o755);
  };
  const env = { ...box.env, PATH: `${join(box.root, 'bin')}:${box.env.PATH}` };
  writeFileSync(join(box.root, 'stored.js'), 'stored');
  pnpm(`mkdir -p node_modules/one && ln ${box.root}/stored.js node_modules/one/index.js`);
  const a = await lane('a', { env });
  expect(a.kind).toBe('linked');
  expect(readFileSync(calls, 'utf8')).toBe('install --frozen-lockfile --offline\n');
  expect(statSync(join(box.root, 'stored.js')).nlink).toBe(2);
  expect(statSync(join(box.root, 'stored.js')).mode & 0o200).toBe(0o200);
  const half = 'mkdir -p node_modules/half packages/a/node_modules/half; exit 1';
  pnpm(
    `case $* in *offline*) ${half};; esac; ls -d node_modules packages/a/node_modules >> ${calls} || :`,
  );
  const b = await lane('b', { env });
  expect(readFileSync(calls, 'utf8').trim().split('\n').slice(1)).toEqual([
    'install --frozen-lockfile --offline',
    'install --frozen-lockfile',
  ]);
  expect(b.kind).toBe('ran');

  // What was there before the try is somebody's.
  for (const folder of ['node_modules', 'packages/b/node_modules']) {
    const change = (tree: string) => box.write(`${tree}/${folder}/mine`, '');
    const { tree } = await lane(folder.slice(0, 4), { env, change });
    expect(existsSync(join(tree, folder, 'mine'))).toBe(true);
  }
  expect(readFileSync(calls, 'utf8').match(/offline/g)).toHaveLength(2);

  // Files of the store are the person's as well.
  box.write(
    'repo/node_modules/.pnpm/lock.yaml',
    readFileSync(join(repo, 'pnpm-lock.yaml'), 'utf8'),
  );
  linkSync(join(box.root, 'stored.js'), join(repo, 'node_modules/stored.js'));
  const [c, d] = [await lane('c', { env }), await lane('d', { env })];
  expect([c.kind, d.kind]).toEqual(['copied', 'linked']);
  const file = 'node_modules/stored.js';
  expect(inodeOf(c.tree, file)).toBe(inodeOf(d.tree, file));
  expect(inodeOf(d.tree, file)).not.toBe(inodeOf(repo, file));
  expect(readFileSync(calls, 'utf8').match(/offline/g)).toHaveLength(2);
});

test.each([
  ['a link to the packages of somebody else', (theirs: string) => `ln -s ${theirs} node_modules`],
  ['what Composer writes to', () => 'mkdir vendor && echo x > vendor/autoload.php'],
])('%s is not shared, and stays as it is', async (_, command) => {
  const { box, lane, shared } = await npmProject();
  const packages = join(box.root, 'packages');
  box.write('packages/.package-lock.json', '{}');
  const setup = { command: command(packages), keyFiles: ['package-lock.json'], cwd: '' };
  const { kind, tree } = await lane('a', { setup });
  expect(kind).toBe('ran');
  expect(existsSync(join(packages, '.package-lock.json'))).toBe(true);
  const made = join(tree, 'vendor/autoload.php');
  if (existsSync(made)) expect(statSync(made).mode & 0o200).toBe(0o200);
  expect(existsSync(shared)).toBe(false);
});

test('a link in place of a folder is refused', async () => {
  const { box } = laneRepository();
  box.write('theirs/.package-lock.json', '{}');
  const [link, to] = [join(box.root, 'link'), join(box.root, 'to')];
  symlinkSync(join(box.root, 'theirs'), link);
  expect(await linkFolder(link, to)).toBe(false);
  expect(existsSync(to)).toBe(false);
  expect(existsSync(join(box.root, 'theirs/.package-lock.json'))).toBe(true);
});
