/** The git hook comes and goes, and what it needs: real git, the built program. */
import {
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createContext } from '../../src/fronts/cli/command.ts';
import { runGitHookInstall } from '../../src/fronts/cli/commands/git-hook.ts';
import { currentRuntime } from '../../src/install/targets.ts';
import { bufferedHost } from '../support/buffered-host.ts';
import { command } from '../support/command.ts';
import { runProgram } from '../support/program.ts';
import { asPushed, installGitHook, push } from '../support/pushing.ts';
import { CLI_PROGRAM, type Sandbox, sandbox } from '../support/sandbox.ts';
import { type Shop, shop } from '../support/shop.ts';
import { contents, expectBothRun, gitHook, hook, RECORDER, witness } from './git-hooks.ts';

describe('where there is no hook', () => {
  test('is installed, says so, and goes without a trace', async () => {
    const box = sandbox();
    const it = shop(box);
    const folder = join(it.repo, '.git/hooks');
    const before = contents(folder);
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ exitCode: 1, state: 'absent' });
    expect(await gitHook(box, it.repo, 'install')).toMatchObject({ state: 'new', warnings: [] });
    expect(await gitHook(box, it.repo, 'install')).toMatchObject({ state: 'current' });
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({
      exitCode: 0,
      holds: true,
      state: 'installed',
      file: join(folder, 'pre-push'),
    });
    expect(await gitHook(box, it.repo, 'remove')).toMatchObject({
      removed: [{ state: 'deleted' }],
    });
    expect(contents(folder)).toEqual(before);
    expect(await gitHook(box, it.repo, 'remove')).toMatchObject({ removed: [{ state: 'absent' }] });
  });

  test('the folder is made, and goes with the hook', async () => {
    const box = sandbox();
    const it = shop(box);
    rmSync(join(it.repo, '.git/hooks'), { recursive: true });
    it.git('config', 'core.hooksPath', '.config/git/hooks');
    await gitHook(box, it.repo, 'install');
    it.change('src/cart/add.ts');
    expect((await push(box, it)).held).toEqual(['cart']);
    await gitHook(box, it.repo, 'remove');
    expect(existsSync(join(it.repo, '.config'))).toBe(false);
  });

  test('outside of a repository there is nowhere to put it', async () => {
    const box = sandbox();
    const { exitCode, stderr } = await command(box, box.home, ['git-hook', 'install']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is in no git repository');
  });

  test.each([
    ['/dev/null', 'a part of its path is a file'],
    ['/proc/1/hooks', 'the file system does not take it'],
  ])('says why a hook cannot be put into %s', async (path, reason) => {
    const box = sandbox();
    const it = shop(box);
    it.git('config', 'core.hooksPath', path);
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ state: 'absent' });
    const { exitCode, stderr } = await command(box, it.repo, ['git-hook', 'install']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`error: cannot make ${path}: ${reason}`);
    // Nothing says later that it was there.
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ state: 'absent' });
  });

  test.skipIf(process.getuid?.() === 0)(
    'leaves a folder that it may not write as it is',
    async () => {
      const box = sandbox();
      const it = shop(box);
      const folder = join(it.repo, '.git/hooks');
      hook(box, join(folder, 'pre-push'), RECORDER);
      const before = contents(folder);
      chmodSync(folder, 0o555);
      const { exitCode, stderr } = await command(box, it.repo, ['git-hook', 'install']);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('permission denied');
      expect(contents(folder)).toEqual(before);
    },
  );
});

describe('core.hooksPath', () => {
  test.each([
    ['relative', (_: Sandbox) => 'tools/git hooks'],
    ['absolute', (box: Sandbox) => join(box.root, "it's hooks")],
    ['below the home folder', (_: Sandbox) => '~/hooks'],
  ])('%s', async (_, pathIn) => {
    const box = sandbox();
    const it = shop(box);
    const path = pathIn(box);
    it.git('config', 'core.hooksPath', path);
    const folder = path.startsWith('~') ? join(box.home, 'hooks') : join(it.repo, path);
    hook(box, join(path.startsWith('/') ? path : folder, 'pre-push'), RECORDER);
    // From a subfolder: hooks run at the root of the working tree.
    const installed = await gitHook(box, join(it.repo, 'src'), 'install');
    const isInTree = !/^[/~]/.test(path);
    expect(installed.warnings.join('\n').includes('keep ')).toBe(isInTree);
    await expectBothRun(box, it, witness(box));
  });

  test('for every repository: says that they all get the hook', async () => {
    const box = sandbox();
    const it = shop(box);
    it.git('config', '--global', 'core.hooksPath', join(box.home, 'hooks'));
    const { warnings } = await gitHook(box, it.repo, 'install');
    expect(warnings).toEqual([expect.stringContaining('for every repository')]);
  });

  test('set after the installation: says that git passes the hook over', async () => {
    const box = sandbox();
    const it = shop(box);
    await installGitHook(box, it.repo);
    it.git('config', 'core.hooksPath', '.husky/_');
    const status = await command(box, it.repo, ['git-hook', 'status']);
    expect(status.exitCode).toBe(1);
    expect(status.stdout).toMatch(/^passed over: .*\.husky\/_ \(core\.hooksPath\)$/m);
    await gitHook(box, it.repo, 'install');
    it.change('src/cart/add.ts');
    expect((await push(box, it)).held).toEqual(['cart']);
    await gitHook(box, it.repo, 'remove');
    expect(existsSync(join(it.repo, '.husky'))).toBe(false);
    expect(existsSync(join(it.repo, '.git/hooks/pre-push'))).toBe(false);
  });
});

test('settings under which git starts no hook are found by trying', async () => {
  const box = sandbox();
  const it = shop(box);
  await installGitHook(box, it.repo);
  const commit = 'git pull && git push';
  it.change('src/cart/add.ts');
  expect((await it.judge(commit)).decision).toBe('pass');
  for (const [name, value] of [
    ['core.hooksPath', ''],
    ['core.hooksPath', '/dev/null'],
    [`includeIf.onbranch:main.path`, box.write('off.config', '[core]\n hooksPath = /none\n')],
  ] as const) {
    it.git('config', name, value);
    const status = await gitHook(box, it.repo, 'status');
    expect(status, name).toMatchObject({ exitCode: 1, holds: false, state: 'passed-over' });
    const { stdout } = await command(box, it.repo, ['status', '--json']);
    expect(JSON.parse(stdout).gitHookGone).toContain('git looks in');
    expect((await it.judge(commit)).decision, name).toBe('deny');
    const { stdout: findings } = await command(box, it.repo, ['doctor', '--json']);
    const finding = { check: 'git-hook', state: 'broken' };
    expect(JSON.parse(findings).findings).toContainEqual(expect.objectContaining(finding));
    if (value === '') {
      const { exitCode, stderr } = await command(box, it.repo, ['git-hook', 'install']);
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 1 });
      expect(stderr).toContain('core.hooksPath is empty');
    }
    it.git('config', '--unset', name);
  }
  expect(await gitHook(box, it.repo, 'status')).toMatchObject({ holds: true });
  // The question whether it is started is no way past it.
  const { exitCode, stderr } = await push(box, it, ['--lanehold-try', 'main']);
  expect(exitCode).not.toBe(0);
  expect(stderr).not.toContain('lanehold holds');
});

test('hooks that are files of the project stay as they are, and may ask', async () => {
  const box = sandbox();
  const it = shop(box);
  const file = hook(box, join(it.repo, 'tools/hooks/pre-push'), RECORDER);
  it.git('config', 'core.hooksPath', 'tools/hooks');
  box.commit(it.repo);
  const before = contents(dirname(file));
  const refused = await command(box, it.repo, ['git-hook', 'install']);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('are files of the project');
  expect(refused.stderr).toContain('lanehold git-hook install --in-project');
  expect(contents(dirname(file))).toEqual(before);
  expect(await gitHook(box, it.repo, 'status')).toMatchObject({ state: 'absent' });

  const added = await command(box, it.repo, ['git-hook', 'install', '--in-project', '--json']);
  expect(JSON.parse(added.stdout)).toMatchObject({ state: 'new', file });
  expect(await gitHook(box, it.repo, 'status')).toMatchObject({ holds: true, file });
  box.commit(it.repo);
  const bin = join(box.root, 'bin');
  hook(box, join(bin, 'lanehold'), `#!/bin/sh\nexec "${process.execPath}" "${CLI_PROGRAM}" "$@"\n`);
  const seen = witness(box);
  it.change('src/cart/add.ts');
  const options = { env: { ...seen.env, PATH: `${bin}:${box.env.PATH}` } };
  expect(await push(box, it, [], options)).toMatchObject({ verdict: 'held', held: ['cart'] });
  expect((await push(box, it, [], { env: seen.env })).verdict).toBe('pushed');
  expect(seen.said()).toMatch(/^args origin/);
  expect(await gitHook(box, it.repo, 'remove')).toMatchObject({ removed: [{ state: 'cleaned' }] });
  expect(contents(dirname(file))).toEqual(before);
});

describe('other places of a repository', () => {
  test('a linked worktree has the hook of its repository', async () => {
    const box = sandbox();
    const it = shop(box);
    const linked = join(box.root, 'linked');
    it.git('worktree', 'add', '--quiet', linked);
    expect(await installGitHook(box, linked)).toBe(join(it.repo, '.git/hooks/pre-push'));
    box.write('linked/src/cart/add.ts', 'changed\n');
    box.commit(linked);
    const args = ['origin', 'HEAD:main'];
    expect((await push(box, it, args, { cwd: linked })).held).toEqual(['cart']);
    expect((await command(box, linked, ['feature', 'verify', 'cart'])).exitCode).toBe(0);
    expect((await push(box, it, args, { cwd: linked })).verdict).toBe('pushed');
  });

  test('a submodule has its own', async () => {
    const box = sandbox();
    const it = shop(box);
    const outer = box.repo('outer');
    box.git(outer, 'submodule', '--quiet', 'add', it.remote, 'shop');
    const inner = join(outer, 'shop');
    expect(await installGitHook(box, inner)).toBe(join(outer, '.git/modules/shop/hooks/pre-push'));
    box.write(join(inner, 'src/cart/add.ts'), 'changed\n');
    box.commit(inner);
    expect((await push(box, { repo: inner })).held).toEqual(['cart']);
    expect((await command(box, inner, ['feature', 'verify', 'cart'])).exitCode).toBe(0);
    expect((await push(box, { repo: inner })).verdict).toBe('pushed');
  });
});

describe('what the hook needs', () => {
  /** A package of its own that can be moved away, in a folder whose name takes some quoting. */
  async function installed(box: Sandbox, it: Shop) {
    const folder = join(box.root, `it's "a" $(package)`);
    const [node, hookFile] = [join(folder, 'node'), join(folder, 'hooks/lanehold-hook.cjs')];
    box.write(hookFile, `require(${JSON.stringify(currentRuntime().hook)});\n`);
    symlinkSync(process.execPath, node);
    symlinkSync(join(dirname(dirname(currentRuntime().hook)), 'dist'), join(folder, 'dist'));
    const { host } = bufferedHost([], { env: box.env, cwd: () => it.repo });
    await runGitHookInstall(createContext(host, {}), {}, { node, hook: hookFile });
    return { node, hookFile, folder };
  }

  test('is no PATH', async () => {
    const box = sandbox();
    const it = shop(box);
    await installed(box, it);
    it.change('src/cart/add.ts');
    const git = (await runProgram('/bin/sh', ['-c', 'command -v git'], { cwd: '/', env: box.env }))
      .stdout;
    const options = { cwd: it.repo, env: { ...box.env, PATH: '' } };
    const ran = await runProgram(git.trim(), ['push'], options);
    expect(asPushed(ran)).toMatchObject({ verdict: 'held', held: ['cart'] });
    await it.verify('cart');
    expect((await runProgram(git.trim(), ['push'], options)).exitCode).toBe(0);
  });

  test.each([
    ['its program', ({ hookFile }: { hookFile: string }) => rmSync(hookFile)],
    ['its Node', ({ node }: { node: string }) => rmSync(node)],
    ['all of it', ({ folder }: { folder: string }) => renameSync(folder, `${folder}.moved`)],
  ])('without %s a push is refused, with the way to repair it', async (_, takeAway) => {
    const box = sandbox();
    const it = shop(box);
    const runtime = await installed(box, it);
    takeAway(runtime);
    const hookFile = join(it.repo, '.git/hooks/pre-push');
    const start = { cwd: it.repo, env: { ...box.env, PATH: '' } };
    const { exitCode, stderr, stdout } = await runProgram(hookFile, ['origin', it.remote], start);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain(`(${runtime.hookFile})`);
    expect(stderr).toMatch(/; repair it with .*lanehold git-hook install`?\n$/);
    const disabled = { ...start, env: { ...start.env, LANEHOLD_DISABLE: '1' } };
    expect((await runProgram(hookFile, ['origin', it.remote], disabled)).exitCode).toBe(1);

    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ exitCode: 1, state: 'broken' });
    expect(await gitHook(box, it.repo, 'install')).toMatchObject({ state: 'upgrade' });
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ exitCode: 0 });
  });

  test('may be another Node, found on PATH', async () => {
    const box = sandbox();
    const it = shop(box);
    rmSync((await installed(box, it)).node);
    it.change('src/cart/add.ts');
    const PATH = `${dirname(process.execPath)}:${box.env.PATH}`;
    expect((await push(box, it, [], { env: { PATH } })).held).toEqual(['cart']);
  });

  test('half of the program is not enough', async () => {
    const box = sandbox();
    const it = shop(box);
    const { hookFile } = await installed(box, it);
    writeFileSync(hookFile, readFileSync(currentRuntime().hook));
    const { verdict, stderr } = await push(box, it, ['--dry-run', 'origin', 'HEAD:x']);
    expect(verdict).toBe('held');
    expect(stderr).toContain('ended with 1 and without an answer');
  });

  test('a hook that git may not start is told', async () => {
    const box = sandbox();
    const it = shop(box);
    const file = await installGitHook(box, it.repo);
    chmodSync(file, 0o644);
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ exitCode: 1, state: 'broken' });
    expect(await gitHook(box, it.repo, 'install')).toMatchObject({ state: 'upgrade' });
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ exitCode: 0 });
  });
});

test('goes from every repository with the rest of lanehold', async () => {
  const box = sandbox();
  const it = shop(box);
  const [other, gone] = [box.repo('other'), box.repo('gone')];
  hook(box, join(other, '.git/hooks/pre-push'), RECORDER);
  const folders = [it.repo, other].map((repo) => join(repo, '.git/hooks'));
  const before = folders.map(contents);
  for (const repo of [it.repo, other, gone]) await installGitHook(box, repo);
  rmSync(gone, { recursive: true });
  const would = await command(box, box.home, ['uninstall', '--dry-run']);
  expect(would.stdout).toBe(
    `would delete what there was not before: ${folders[0]}/pre-push\n` +
      `would restore ${folders[1]}/pre-push as it was before\n` +
      `stays: lanehold.json and .git/lanehold in your projects, and what is stored in ${box.laneholdHome} (\`lanehold uninstall --purge\` deletes that)\n`,
  );
  expect((await command(box, box.home, ['uninstall', '--user'])).stdout).toBe(
    'nothing is installed\n',
  );
  expect(await gitHook(box, other, 'status')).toMatchObject({ state: 'installed' });
  const { exitCode, stdout } = await command(box, box.home, ['uninstall']);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: would.stdout.replace('would delete', 'deleted').replace('would restore', 'restored'),
  });
  expect(folders.map(contents)).toEqual(before);
  expect((await command(box, box.home, ['uninstall'])).stdout).toBe('nothing is installed\n');
});

test('the doctor mentions it, and is well without it', async () => {
  const box = sandbox();
  const it = shop(box);
  const finding = async () => {
    const { stdout } = await command(box, it.repo, ['doctor', '--json']);
    return JSON.parse(stdout).findings.find(
      (found: { check: string }) => found.check === 'git-hook',
    );
  };
  expect(await finding()).toMatchObject({ state: 'ok', hint: 'run `lanehold git-hook install`' });
  const file = await installGitHook(box, it.repo);
  expect(await finding()).toEqual({
    check: 'git-hook',
    state: 'ok',
    commands: [],
    fact: `the git hook holds pushes: ${file}`,
  });
});
