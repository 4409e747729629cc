/** `lanehold scan`: what it finds out about a project, and the note that keeps it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { sandbox } from '../support/sandbox.ts';

const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

function project(files: Readonly<Record<string, string>>, kind: 'git' | 'folder' = 'git') {
  const box = sandbox();
  const folder = join(box.root, 'shop');
  if (kind === 'git') box.repo('shop');
  else mkdirSync(folder);
  const write = (path: string, content: string) => box.write(`shop/${path}`, content);
  for (const [path, content] of Object.entries(files)) write(path, content);
  const run = (...argv: string[]) => command(box, folder, argv);
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);
  return { box, folder, write, run, json };
}

const SHOP = {
  'package.json': JSON.stringify({
    name: 'shop',
    description: `Sells \u001b[31mthings\nwith ${TOKEN}`,
    workspaces: ['packages/*'],
    bin: { shop: 'bin/shop.js' },
    main: 'dist/index.js',
    scripts: { 'test:unit': 'a', test: 'a', build: 'b', '$(rm -rf ~)': 'c', postinstall: 'd' },
  }),
  'pnpm-lock.yaml': '',
  'bin/shop.js': '',
  'packages/cart/package.json': '{"name": "@shop/cart"}',
  'packages/cart/src/index.ts': '',
  'packages/cart/src/add.ts': '',
  Makefile: 'FLAGS := a\nlint: build\n\ttrue\n.PHONY: lint\n',
  'scripts/load.py': '',
  '.gitignore': 'dist/\n',
  'dist/index.js': '',
  'node_modules/a/index.js': '',
};

test('languages, packages, commands, entry points, folders and features are found', async () => {
  const { json, run } = project(SHOP);
  await run('feature', 'add', 'cart', '--files', 'packages/cart/**', '--smoke', 'true');
  expect(await json('scan')).toMatchObject({
    name: 'shop',
    languages: [
      { name: 'TypeScript', files: 2 },
      { name: 'JavaScript', files: 1 },
      { name: 'Python', files: 1 },
    ],
    packages: [{ name: 'cart', folder: 'packages/cart' }],
    commands: [
      { purpose: 'build', command: 'pnpm run build', from: 'package.json' },
      { purpose: 'test', command: 'pnpm test', from: 'package.json' },
      { purpose: 'test', command: 'pnpm run test:unit', from: 'package.json' },
      { purpose: 'lint', command: 'make lint', from: 'Makefile' },
    ],
    entryPoints: [
      { path: 'bin/shop.js', name: 'shop', present: true },
      { path: 'dist/index.js', name: '', present: false },
      { path: 'packages/cart/src/index.ts', name: '', present: true },
    ],
    folders: [{ path: 'packages/cart/src', files: 2 }, { path: 'bin' }, { path: 'scripts' }],
    features: [{ name: 'cart', files: 3 }],
    saved: null,
  });
  const { stdout } = await run('scan');
  expect(stdout).toMatch(/^# shop\n\nTest with `pnpm test`; build with .*\n\nSells .*redacted/);
  expect(stdout).not.toMatch(/ghp_|rm -rf/);
  expect(stdout).not.toContain('\u001b');
});

test.each([
  [
    { 'Cargo.toml': '[package]\nname = "tide"', 'src/main.rs': '' },
    ['cargo build', 'cargo test', 'cargo run'],
  ],
  [
    { 'go.mod': 'module a.test/tide', 'main.go': '' },
    ['go build ./...', 'go test ./...', 'go run .'],
  ],
  [{ 'pytest.ini': '', 'tide/__main__.py': '' }, ['python -m pytest']],
  [{ justfile: 'set shell := ["sh"]\n@build target:\n\ttrue\n', 'a.sh': '' }, ['just build']],
  [{ 'Taskfile.yml': 'tasks:\n  dev: {}\n', 'a.rb': '' }, ['task dev']],
  [{ 'package.json': '{ not json', 'a.js': '' }, []],
])('the commands of %j', async (files, commands) => {
  const { json } = project(files, 'folder');
  const found = (await json('scan')).commands as { command: string }[];
  expect(found.map(({ command }) => command)).toEqual(commands);
});

test('the files that change most are those of the last commits, also before anything is indexed', async () => {
  const { box, folder, json, run, write } = project({ 'a.ts': '', 'b.ts': '', 'gone.ts': '' });
  box.commit(folder);
  for (const at of [1, 2, 3]) {
    write('a.ts', `${at}`);
    write('gone.ts', `${at}`);
    box.commit(folder);
  }
  const { changed } = await json('scan');
  expect(changed).toEqual({
    commits: 4,
    files: [
      { path: 'a.ts', commits: 4 },
      { path: 'gone.ts', commits: 4 },
    ],
  });
  await run('index');
  expect((await json('scan')).changed).toEqual(changed);
});

test('--save keeps it as a note, and what it said before stays as superseded', async () => {
  const { json, run, write } = project({ 'package.json': '{"name": "shop"}', 'a.ts': '' });
  const { saved } = await json('scan', '--save');
  expect(saved).toMatchObject({ path: 'project/overview', state: 'new' });
  const { notes } = await json('note', 'list');
  expect(notes).toMatchObject([{ kind: 'fact', title: 'Overview of shop', source: 'scan' }]);
  expect((await run('recall', 'briefing')).stdout).toContain(
    'Overview of shop: TypeScript (1 file)',
  );
  expect((await json('scan', '--save')).saved).toEqual({ ...saved, state: 'unchanged' });

  await run('note', 'reject', 'project/overview');
  write('package.json', '{"name": "shop", "scripts": {"test": "node --test"}}');
  expect((await run('scan', '--save')).stdout).toContain('its earlier text stays as superseded');
  const all = (await json('note', 'list', '--all')).notes as { status: string; body: string }[];
  expect(all.map(({ status, body }) => [status, body.includes('npm test')]).sort()).toEqual([
    ['active', true],
    ['superseded', false],
  ]);
});
