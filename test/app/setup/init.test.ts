/** `lanehold init`: from nothing to a project whose pushes are held, in one command. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { type Context, createContext } from '../../../src/fronts/cli/command.ts';
import { type InitOptions, runInit } from '../../../src/fronts/cli/commands/init.ts';
import { runUninstall } from '../../../src/fronts/cli/commands/install.ts';
import { main } from '../../../src/fronts/main.ts';
import { currentRuntime } from '../../../src/install/targets.ts';
import { hook } from '../../git-hold/git-hooks.ts';
import { bufferedHost } from '../../support/buffered-host.ts';
import { command } from '../../support/command.ts';
import { CLI_PROGRAM as CLI, type Sandbox, sandbox } from '../../support/sandbox.ts';

interface Project {
  readonly box: Sandbox;
  readonly repo: string;
  readonly settings: string;
  readonly registry: string;
}

/** Two folders of source, each with tests that the runner of Node finds. */
function project(files: Readonly<Record<string, string>> = {}): Project {
  const box = sandbox();
  mkdirSync(join(box.home, '.claude'));
  const repo = box.repo();
  const written = {
    'package.json': '{"name":"shop","type":"module","scripts":{"test":"node --test"}}',
    'src/cart/add.js': 'export const add = (a, b) => a + b;\n',
    'src/cart/add.test.js': passing('cart'),
    'src/pay/pay.js': 'export const pay = 1;\n',
    'src/pay/pay.test.js': passing('pay'),
    ...files,
  };
  for (const [path, text] of Object.entries(written)) {
    if (text !== '') box.write(join(repo, path), text);
  }
  box.commit(repo);
  return {
    box,
    repo,
    settings: join(box.home, '.claude/settings.json'),
    registry: join(repo, 'lanehold.json'),
  };
}

const passing = (name: string) => `import test from 'node:test';\ntest('${name}', () => {});\n`;

const init = ({ box, repo }: Project, ...options: readonly string[]) =>
  command(box, repo, ['init', '--agent', 'claude-code', ...options]);

/** At a terminal, where a person answers the question. */
async function asked(it: Project, answer: string, options: InitOptions = {}, run = runs(options)) {
  const { host, said } = bufferedHost([], { env: it.box.env, cwd: () => it.repo });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  let questions = 0;
  let plan = '';
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      plan += chunk;
      if (/\? \[Y\/n\] $/.test(String(chunk))) {
        questions += 1;
        stdin.write(`${answer}\n`);
      }
      done();
    },
  });
  const streams = { ...host.streams, stdin, stderr: Object.assign(stderr, { isTTY: true }) };
  const context = createContext({ ...host, streams }, {});
  const exitCode = await run(context).finally(context.close);
  return { exitCode, questions, plan, stdout: said.stdout };
}

const runs = (options: InitOptions) => (context: Context) =>
  runInit(context, { agent: ['claude-code'], ...options }, currentRuntime());

/** Runs a command at a terminal, where nobody answers anything. */
async function atTerminal({ box, repo }: Pick<Project, 'box' | 'repo'>, ...argv: string[]) {
  const { host, said } = bufferedHost(argv, { env: box.env, cwd: () => repo });
  for (const stream of [host.streams.stdin, host.streams.stderr]) {
    Object.assign(stream, { isTTY: true });
  }
  const exitCode = await main(host);
  return { exitCode, ...said };
}

const featuresIn = ({ registry }: Project) =>
  Object.keys(JSON.parse(readFileSync(registry, 'utf8')).features).sort();

/** The files below a folder with their content; records of what was done are no files of the user. */
function below(folder: string): object {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/lanehold\.db|\/(?:runs|backups|cache)\b/.test(path))
    .filter((path) => statSync(join(folder, path)).isFile())
    .toSorted();
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

function expectFits(text: string): void {
  const lines = text.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(25);
  for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
}

test('installs hooks, registers features that are verified then, and lets git hold pushes', async () => {
  const it = project();
  const { exitCode, stdout } = await init(it, '--yes');
  expect(exitCode, stdout).toBe(0);
  expectFits(stdout);
  expect(readFileSync(it.settings, 'utf8')).toContain('lanehold');
  expect(existsSync(join(it.repo, '.git/hooks/pre-push'))).toBe(true);
  expect(featuresIn(it)).toEqual(expect.arrayContaining(['cart', 'pay']));
  const pending = await command(it.box, it.repo, ['feature', 'pending']);
  expect(pending.stdout).toBe('Nothing pending\n');
});

test('its way to commit works when it is pasted', async () => {
  const it = project();
  const { stdout } = await init(it, '--yes');
  const [, commit = ''] = /^Commit +(.*)$/m.exec(stdout) ?? [];
  it.box.write('paste.sh', commit);
  const { execFileSync } = await import('node:child_process');
  execFileSync('sh', [join(it.box.root, 'paste.sh')], { cwd: it.repo, env: it.box.env });
  expect(it.box.git(it.repo, 'status', '--porcelain')).toBe('');
});

test('a second run changes nothing and says so', async () => {
  const it = project();
  await init(it, '--yes');
  it.box.commit(it.repo);
  const before = [below(it.box.home), below(join(it.repo, '.git/hooks'))];
  const { exitCode, stdout } = await init(it, '--yes');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Nothing to change\n/);
  expect(stdout).not.toContain('Commit');
  expect([below(it.box.home), below(join(it.repo, '.git/hooks'))]).toEqual(before);
  expect(it.box.git(it.repo, 'status', '--porcelain')).toBe('');
});

test('--dry-run shows all and changes nothing', async () => {
  const it = project();
  const before = below(it.box.home);
  const { exitCode, stdout } = await command(
    it.box,
    it.repo,
    [...['init', '--agent', 'claude-code', '--dry-run', '--verbose']],
    { env: { LANEHOLD_HOME: join(it.box.home, 'none') } },
  );
  expect(exitCode).toBe(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/3 features .*, each to be tested once:/);
  expect(stdout).toContain('"src/cart/**"');
  expect(stdout).toContain('"PreToolUse"');
  expect(below(it.box.home)).toEqual(before);
  expect(it.box.git(it.repo, 'status', '--porcelain')).toBe('');
  expect(existsSync(join(it.repo, '.git/hooks/pre-push'))).toBe(false);
});

test('asks once at a terminal, and does nothing after a no', async () => {
  const it = project();
  expect(await asked(it, 'n')).toMatchObject({ exitCode: 1, questions: 1 });
  expect(existsSync(it.settings) || existsSync(it.registry)).toBe(false);
  expect(await asked(it, '')).toMatchObject({ exitCode: 0, questions: 1 });
  expect(existsSync(it.settings) && existsSync(it.registry)).toBe(true);
  expect(existsSync(join(it.repo, '.git/hooks/pre-push'))).toBe(true);
  expect(await asked(it, 'n')).toMatchObject({ exitCode: 0, questions: 0 });
});

test('where nobody can be asked it writes nothing without --yes', async () => {
  const it = project();
  const { exitCode, stderr } = await init(it);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('add `--yes`');
  expect(existsSync(it.settings) || existsSync(it.registry)).toBe(false);
  await init(it, '--yes');
  it.box.commit(it.repo);
  expect(await init(it)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Nothing to change/),
  });
});

test('with --no-git-hook git is left alone, and how to change that is said', async () => {
  const it = project();
  const { exitCode, stdout } = await init(it, '--yes', '--no-git-hook');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('`lanehold git-hook install`');
  expect(existsSync(join(it.repo, '.git/hooks/pre-push'))).toBe(false);
});

test('a test that passed in the run of the whole suite gets no count of its own', async () => {
  const it = project({
    'package.json': '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "1"}}',
    '.gitignore': 'node_modules\n',
  });
  hook(
    it.box,
    join(it.repo, 'node_modules/.bin/vitest'),
    '#!/bin/sh\nfor it in cart/add pay/pay; do echo " ✓ src/$it.test.js (1 test) 2ms"; done\n' +
      'echo " Test Files  2 passed (2)"; echo "      Tests  2 passed (2)"\n',
  );
  const { stdout } = await init(it, '--yes');
  expectFits(stdout);
  expect(stdout).toMatch(/^ {2}cart +.* passed with the whole suite /m);
  expect(stdout).toMatch(/^ {2}rest +.* 2 tests passed, /m);
});

test('only features that have files of their own can be learned', async () => {
  const whole = project({ 'src/pay/pay.js': '', 'src/pay/pay.test.js': '' });
  const { stdout } = await init(whole, '--yes');
  expect(featuresIn(whole)).toHaveLength(1);
  expect(stdout).not.toContain('feature learn');
  expect((await init(project(), '--yes')).stdout).toContain('feature learn');
});

test('a test that fails is said, and its feature is held', async () => {
  const it = project({ 'src/pay/pay.test.js': 'throw new Error("no");\n' });
  const { exitCode, stdout } = await init(it, '--yes');
  expect(exitCode).toBe(0);
  expectFits(stdout);
  expect(stdout).toMatch(/^ {2}pay .*fails/m);
  expect(stdout).toContain('`lanehold feature verify --pending`');
});

const policyIn = ({ registry }: Project) => JSON.parse(readFileSync(registry, 'utf8')).gate;

test('the whole suite has the rest, and is verified then', async () => {
  const it = project({ 'data/prices.json': '{}\n' });
  const { stdout } = await init(it, '--yes');
  expect(stdout).toMatch(/^ {2}rest +.*\d tests? passed, .* npm test$/m);
  it.box.commit(it.repo);
  it.box.write(join(it.repo, 'data/prices.json'), '{"a": 1}\n');
  const pending = await command(it.box, it.repo, ['feature', 'pending']);
  expect(pending.stdout).toContain('  rest: changed since it was verified');
});

test('a suite that is red is not proposed: files of no feature are asked about', async () => {
  const it = project({ 'test/all.test.js': 'throw new Error("no");\n' });
  const { exitCode, stdout } = await init(it, '--yes');
  expect(exitCode).toBe(0);
  expectFits(stdout);
  expect(stdout).toMatch(/not proposed: .*rest \(the test fails now\)/);
  expect(featuresIn(it)).not.toContain('rest');
  expect(policyIn(it)).toMatchObject({ uncovered: 'ask' });
});

test('what runs no test is left to the whole suite, which is verified for it', async () => {
  const it = project({
    'package.json': '{"scripts": {"test": "vitest run"}, "devDependencies": {"vitest": "1"}}',
    '.gitignore': 'node_modules\n',
  });
  hook(
    it.box,
    join(it.repo, 'node_modules/.bin/vitest'),
    '#!/bin/sh\n[ $# -le 1 ] || { echo "No test files found, exiting with code 1"; exit 1; }\n' +
      'echo " Test Files  1 passed (1)"; echo "      Tests  2 passed (2)"\n',
  );
  const { stdout } = await init(it, '--yes');
  expectFits(stdout);
  expect(stdout).toContain('cart, pay: no test ran');
  expect(featuresIn(it)).toEqual(['rest']);
  const { stdout: listed } = await command(it.box, it.repo, ['feature', 'list']);
  expect(listed).toContain('1 feature, 1 verified as they are now');
});

test('a test whose program is missing is said with how to go on', async () => {
  const it = project({
    'package.json': '{"name":"shop","scripts":{"test":"jest"}}',
  });
  const { stdout } = await init(it, '--yes');
  expectFits(stdout);
  expect(stdout).toMatch(/^ {2}cart .*cannot run/m);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('jest is not installed here');
  expect(stdout).toContain("--replace --smoke 'COMMAND'");
});

test('without an agent it names those that it knows, and sets up the rest', async () => {
  const it = project();
  const env = { PATH: `/usr/bin:/bin:${join(process.execPath, '..')}`, HOME: it.repo };
  const { exitCode, stdout } = await command(it.box, it.repo, ['init', '--yes', '--no-try'], {
    env,
  });
  expect(exitCode).toBe(0);
  expectFits(stdout);
  expect(stdout).toContain('none found on this machine');
  expect(stdout).not.toContain('start a new session');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('claude-code');
  expect(featuresIn(it)).toContain('cart');
});

test('features that are registered stay as they are, and none is added', async () => {
  const it = project({
    'lanehold.json': '{"features": {"all": {"files": ["**"], "smoke": ["true"]}}}',
  });
  const { stdout } = await init(it, '--yes');
  expect(featuresIn(it)).toEqual(['all']);
  expect(stdout).toContain('1 registered already');
});

test('packages that git does not ignore are refused, with a line that mends it', async () => {
  const it = project();
  it.box.write(join(it.repo, 'tools/my env/pyvenv.cfg'), 'home = /usr/bin\n');
  it.box.write(join(it.repo, 'tools/my env/lib/site.py'), 'x = 1\n');
  it.box.write(join(it.repo, 'node_modules/a/node_modules/b/index.js'), '');
  const { exitCode, stderr } = await init(it, '--yes');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('git does not ignore installed packages: node_modules, tools/my env\n');
  const [, way = ''] = /`(.+)`/.exec(stderr) ?? [];
  execFileSync('sh', ['-c', way]);
  expect(it.box.git(it.repo, 'status', '--porcelain')).toBe('?? .gitignore');
  expect((await init(it, '--yes')).exitCode).toBe(0);
});

test('documents alone get no features', async () => {
  const box = sandbox();
  const repo = box.repo();
  box.write(join(repo, 'README.md'), '# Notes\n');
  box.commit(repo);
  const { exitCode, stdout } = await command(box, repo, [
    'init',
    '--agent',
    'claude-code',
    '--yes',
  ]);
  expect(exitCode).toBe(0);
  expectFits(stdout);
  expect(stdout).toContain('no source is here');
  expect(stdout).toContain('`lanehold feature discover --write`');
  expect(stdout).not.toContain('is held until');
  expect(existsSync(join(repo, 'lanehold.json'))).toBe(false);
});

test('a lanehold.json that is a link is not replaced', async () => {
  const it = project();
  symlinkSync('elsewhere.json', it.registry);
  expect(await init(it, '--yes')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('lanehold.json is a link to elsewhere.json'),
  });
  expect(readdirSync(it.repo)).not.toContain('elsewhere.json');
});

test('outside of a repository it changes nothing and says what to do', async () => {
  const box = sandbox();
  const folder = join(box.root, 'plain');
  mkdirSync(folder);
  const { exitCode, stderr } = await command(box, folder, ['init', '--yes']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('hint: `git init` first');
  expect(existsSync(join(box.home, '.claude'))).toBe(false);
});

const HUSKY = {
  '.husky/_/.gitignore': '*',
  '.husky/_/h':
    '#!/usr/bin/env sh\nname=$(basename "$0")\nscript=$(dirname "$(dirname "$0")")/$name\n' +
    '[ ! -f "$script" ] && exit 0\nexport PATH="node_modules/.bin:$PATH"\nsh -e "$script" "$@"\n',
};

test('in a husky project git holds pushes in every clone, also after husky was installed anew', async () => {
  const it = project({ ...HUSKY, '.husky/pre-push': 'cat >> witness\n' });
  const { box, repo } = it;
  const ofHusky = '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n';
  hook(box, join(repo, '.husky/_/pre-push'), ofHusky);
  box.git(repo, 'config', 'core.hooksPath', '.husky/_');
  const remote = box.repo('remote.git', '--bare');
  box.git(repo, 'remote', 'add', 'origin', remote);
  const { stdout } = await init(it, '--yes');
  expectFits(stdout);
  expect(stdout).toContain('.husky/pre-push has lines');
  expect(stdout).toMatch(/^Commit +git add \.husky\/pre-push lanehold\.json && git commit/m);
  box.commit(repo);
  // As `npm install` does.
  hook(box, join(repo, '.husky/_/pre-push'), ofHusky);
  const status = await command(box, repo, ['git-hook', 'status']);
  expect(status).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('.husky/pre-push') });
  expect((await init(it, '--yes')).stdout).toMatch(/^Nothing to change\n/);

  mkdirSync(join(box.root, 'bin'));
  symlinkSync(CLI, join(box.root, 'bin/lanehold'));
  symlinkSync(process.execPath, join(box.root, 'bin/node'));
  const { runProgram } = await import('../../support/program.ts');
  const push = (env: object) =>
    runProgram('git', ['push', '-q', 'origin', 'main'], { cwd: repo, env: { ...box.env, ...env } });
  const PATH = `${join(box.root, 'bin')}:${box.env.PATH}`;
  box.write(join(repo, 'src/cart/add.js'), 'export const add = 1;\n');
  box.commit(repo);
  const held = await push({ PATH });
  expect(held.exitCode, held.stderr).toBe(1);
  expect(held.stderr).toContain('lanehold holds');
  expect(held.stderr, 'a line for the shell of the reader').toMatch(/[ `]lanehold feature verify/);
  await command(box, repo, ['feature', 'verify', '--pending']);
  const free = await push({ PATH });
  expect(free.exitCode, free.stderr).toBe(0);
  // What stood there before still gets what git sends.
  expect(readFileSync(join(repo, 'witness'), 'utf8')).toContain('refs/heads/main');
});

/** A project whose hooks husky starts, with a `pre-push` of its own or without. */
function huskyProject(own: string) {
  const it = project({ ...HUSKY, '.husky/pre-push': own });
  hook(it.box, join(it.repo, '.husky/_/pre-push'), '#!/usr/bin/env sh\n. "$(dirname "$0")/h"\n');
  it.box.git(it.repo, 'config', 'core.hooksPath', '.husky/_');
  return { ...it, file: join(it.repo, '.husky/pre-push') };
}

test('the lines in the file of husky are there before anything is verified', async () => {
  const it = huskyProject('npm test\n');
  await init(it, '--yes');
  const { rest } = JSON.parse(readFileSync(it.registry, 'utf8')).features;
  expect(rest, 'a feature that owns the file of husky').toMatchObject({ rest: true });
  it.box.commit(it.repo);
  expect((await command(it.box, it.repo, ['feature', 'pending'])).stdout).toBe('Nothing pending\n');
});

test.each([
  ['#!/usr/bin/env node\nprocess.exit(0)\n', 'its hooks are files of the project'],
  ['#!/bin/sh\ntrue\n', 'only where lanehold is on PATH'],
])('before husky 9, where git starts %j', async (own, said) => {
  const it = project({ '.husky/pre-push': own });
  it.box.git(it.repo, 'config', 'core.hooksPath', '.husky');
  const { stdout } = await init(it, '--yes');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(said);
  const isForShell = own.includes('/sh');
  const text = readFileSync(join(it.repo, '.husky/pre-push'), 'utf8');
  expect(text.includes('lanehold')).toBe(isForShell);
});

test('the lines in the file of husky hand on nothing where nothing came', async () => {
  const it = huskyProject('cat > witness\n');
  await init(it, '--yes');
  mkdirSync(join(it.box.root, 'bin'));
  symlinkSync('/bin/true', join(it.box.root, 'bin/lanehold'));
  const env = { ...it.box.env, PATH: `${join(it.box.root, 'bin')}:${it.box.env.PATH}` };
  for (const input of ['', 'refs/heads/main 1 refs/heads/main 2\n']) {
    execFileSync('sh', [it.file], { cwd: it.repo, env, input });
    expect(readFileSync(join(it.repo, 'witness'), 'utf8')).toBe(input);
  }
});

test('where the folder of hooks cannot be made git is left alone, and all else is done', async () => {
  const it = project();
  it.box.git(it.repo, 'config', 'core.hooksPath', '/dev/null');
  const { exitCode, stdout } = await init(it, '--yes');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/git +left alone: /);
  expect(stdout).toContain('git add lanehold.json');
});

describe.each([
  ['uninstall', '--yes'],
  ['git-hook', 'remove'],
])('%s %s takes the lines out of the file of husky', (...argv) => {
  test.each(['npm test\n', ''])('where it was %j before', async (own) => {
    const it = huskyProject(own);
    const before = own && statSync(it.file).mode;
    await init(it, '--yes');
    expect(readFileSync(it.file, 'utf8')).toContain('lanehold');
    if (own) expect(statSync(it.file).mode, 'no more permissions than before').toBe(before);
    const { stdout } = await command(it.box, it.repo, argv);
    expect(stdout).toContain(it.file);
    expect(it.box.git(it.repo, 'status', '--porcelain', '.husky')).toBe('');
    expect(existsSync(it.file)).toBe(own !== '');
    const status = await command(it.box, it.repo, ['git-hook', 'status']);
    expect(status.stdout).toMatch(/^not installed/);
  });
});

test('uninstall names at a terminal what it touches, asks, and says what stays', async () => {
  const it = project();
  const { stdout } = await init(it, '--yes');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Undo `lanehold uninstall`, in all');
  const file = join(it.repo, '.git/hooks/pre-push');
  const uninstall = (answer: string) =>
    asked(it, answer, {}, (context) => runUninstall(context, {}));
  const refused = await uninstall('n');
  expect(refused).toMatchObject({ exitCode: 1, questions: 1, plan: expect.stringContaining(file) });
  expect(existsSync(file)).toBe(true);
  const done = await uninstall('y');
  expect(done).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(file) });
  expect(done.stdout).toMatch(/^stays: lanehold\.json .* --purge/m);
  expect(existsSync(file)).toBe(false);
});

test('lines that came with the project are named where they stay', async () => {
  const it = huskyProject('npm test\n');
  await init(it, '--yes');
  it.box.commit(it.repo);
  await command(it.box, it.repo, ['uninstall', '--yes']);
  it.box.git(it.repo, 'checkout', '-q', '.');
  const { stdout } = await command(it.box, it.repo, ['uninstall', '--yes']);
  expect(stdout).toContain(`left: ${it.file}`);
  expect(stdout).toContain('lanehold git-hook remove');
});

describe('git holds pushes by default where features are shared', () => {
  const hookOf = ({ repo }: Pick<Project, 'repo'>) => join(repo, '.git/hooks/pre-push');
  const ADD = ['feature', 'add', 'cart', '--files', 'src/cart/**', '--smoke', 'true'];

  test.each([
    [...ADD, '--shared'],
    ['feature', 'discover', '--write'],
  ])('after %s %s at a terminal, and not again after it was removed', async (...argv) => {
    const it = project();
    const { exitCode, stdout } = await atTerminal(it, ...argv);
    expect(exitCode, stdout).toBe(0);
    expect(stdout).toContain('git holds pushes from this clone');
    expect(existsSync(hookOf(it))).toBe(true);
    await command(it.box, it.repo, ['git-hook', 'remove']);
    await atTerminal(it, ...ADD, '--replace', '--shared');
    expect(existsSync(hookOf(it))).toBe(false);
  });

  test.each([
    ['without a terminal', withoutTerminal],
    ['a feature of this machine alone', atTerminal],
  ])('not %s', async (_, run) => {
    const it = project();
    await run(it, ...ADD, ...(run === withoutTerminal ? ['--shared'] : []));
    expect(existsSync(hookOf(it))).toBe(false);
  });
});

function withoutTerminal({ box, repo }: Pick<Project, 'box' | 'repo'>, ...argv: string[]) {
  return command(box, repo, argv);
}
