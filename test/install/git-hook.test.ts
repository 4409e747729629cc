/** The git hook in the set-ups that repositories come with: real git, the built program. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runGitHookInstall } from '../../src/cli/commands/git-hook-install.ts';
import { createContext } from '../../src/cli/context.ts';
import { currentRuntime } from '../../src/install/targets.ts';
import { command } from '../support/command.ts';
import { runProgram } from '../support/program.ts';
import { asPushed, installGitHook, push } from '../support/pushing.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { type Shop, shop } from '../support/shop.ts';
import { bufferedWorld } from '../support/world.ts';

/** Writes an executable hook; it goes on where the sandbox's own path has quotes. */
function hook(box: Sandbox, file: string, text: string): string {
  const path = box.write(file, text);
  chmodSync(path, 0o755);
  return path;
}

async function gitHook(box: Sandbox, directory: string, name: 'install' | 'remove' | 'status') {
  const { exitCode, stdout, stderr } = await command(box, directory, ['git-hook', name, '--json']);
  return { exitCode, stderr, ...JSON.parse(stdout) };
}

/** Name, mode and content of everything in a folder. */
function contents(folder: string): object {
  const names = readdirSync(folder).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const file = join(folder, name);
      const { mode } = lstatSync(file);
      const isLink = lstatSync(file).isSymbolicLink();
      return [name, [mode, isLink ? readlinkSync(file) : readFileSync(file, 'latin1')]];
    }),
  );
}

/** Says in a file what reached it, and exits as the file `fail` says. */
const RECORDER = `#!/bin/sh
{ echo "args $*"; cat; } >> "$GIT_WITNESS"
[ ! -f "$GIT_WITNESS.fail" ] || exit 3
`;

interface Witness {
  readonly env: Readonly<Record<string, string>>;
  said(): string;
  /** From now on the hook that reports to it fails. */
  fail(): void;
}

function witness(box: Sandbox): Witness {
  const file = join(box.root, 'witness');
  return {
    env: { GIT_WITNESS: file },
    said: () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
    fail: () => box.write('witness.fail', ''),
  };
}

const linesFor = (it: Shop): string =>
  `args origin ${it.remote}\nrefs/heads/main ${it.git('rev-parse', 'HEAD')} refs/heads/main ` +
  `${it.git('rev-parse', 'HEAD~1')}\n`;

/** A hook from before runs first, on all that git gave; then ours holds, then it does not. */
async function expectBothRun(box: Sandbox, it: Shop, seen: Witness): Promise<void> {
  const options = { env: seen.env };
  it.change('src/cart/add.ts', `${Math.random()}\n`);
  expect(await push(box, it, [], options)).toMatchObject({ verdict: 'held', held: ['cart'] });
  expect(seen.said()).toBe(linesFor(it));
  await it.verify('cart');
  expect((await push(box, it, [], options)).verdict).toBe('pushed');
  it.change('README.md', 'fails\n');
  seen.fail();
  const failed = await push(box, it, [], options);
  expect(failed).toMatchObject({ verdict: 'refused', held: [] });
}

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

describe('a hook that is there', () => {
  test('runs first, on the same input and arguments, and its failure counts', async () => {
    const box = sandbox();
    const it = shop(box);
    hook(box, join(it.repo, '.git/hooks/pre-push'), RECORDER);
    await installGitHook(box, it.repo);
    await expectBothRun(box, it, witness(box));
  });

  test('comes back as it was, byte for byte and with its mode', async () => {
    const box = sandbox();
    const it = shop(box);
    const folder = join(it.repo, '.git/hooks');
    chmodSync(box.write(join(folder, 'pre-push'), '#!/bin/sh\r\n\0\xff'), 0o751);
    const before = contents(folder);
    await gitHook(box, it.repo, 'install');
    await gitHook(box, it.repo, 'install');
    const { removed } = await gitHook(box, it.repo, 'remove');
    expect(removed).toMatchObject([{ state: 'restored' }]);
    expect(contents(folder)).toEqual(before);
  });

  test('may be a link into the working tree', async () => {
    const box = sandbox();
    const it = shop(box);
    const folder = join(it.repo, '.git/hooks');
    hook(box, join(it.repo, 'tools/check'), RECORDER);
    symlinkSync('../../tools/check', join(folder, 'pre-push'));
    const before = contents(folder);
    await installGitHook(box, it.repo);
    await expectBothRun(box, it, witness(box));
    await gitHook(box, it.repo, 'remove');
    expect(contents(folder)).toEqual(before);
    expect(readFileSync(join(it.repo, 'tools/check'), 'utf8')).toBe(RECORDER);
  });

  test.each([
    ['without an interpreter', 'echo "ran $*" >> "$GIT_WITNESS"\n'],
    ['for a shell by env', '#!/usr/bin/env bash\necho "ran $*" >> "$GIT_WITNESS"\n'],
    [
      'for a shell with options, that asks for its name',
      '#!/bin/sh -eu\n[ "$(basename "$0")" = pre-push ]\necho "ran $*" >> "$GIT_WITNESS"\n',
    ],
    [
      'that asks whether it was started or read',
      '#!/bin/bash\n[ "$BASH_SOURCE" = "$0" ] && echo "ran $*" >> "$GIT_WITNESS"\n',
    ],
    [
      'that starts itself by its name',
      '#!/bin/sh\nn=$(basename "$0")\n[ "$BASH_VERSION" ] || exec bash "$0" "$@"\necho "ran $*" >> "$GIT_WITNESS"\n',
    ],
    [
      'for another interpreter',
      `#!${process.execPath}\nrequire('node:fs').appendFileSync(process.env.GIT_WITNESS, 'ran ' + process.argv.slice(2).join(' ') + '\\n');\n`,
    ],
  ])('is started as git would: one %s', async (_, text) => {
    const box = sandbox();
    const it = shop(box);
    hook(box, join(it.repo, '.git/hooks/pre-push'), text);
    await installGitHook(box, it.repo);
    it.change('README.md', 'two\n');
    const seen = witness(box);
    expect((await push(box, it, [], seen)).verdict).toBe('pushed');
    expect(seen.said()).toBe(`ran origin ${it.remote}\n`);
  });

  test('that git would pass over is passed over', async () => {
    const box = sandbox();
    const it = shop(box);
    chmodSync(hook(box, join(it.repo, '.git/hooks/pre-push'), RECORDER), 0o644);
    await installGitHook(box, it.repo);
    it.change('README.md', 'two\n');
    const seen = witness(box);
    expect((await push(box, it, [], seen)).verdict).toBe('pushed');
    expect(seen.said()).toBe('');
  });

  test('whose interpreter is gone refuses, as it would without ours', async () => {
    const box = sandbox();
    const it = shop(box);
    hook(box, join(it.repo, '.git/hooks/pre-push'), '#!/nowhere/sh\n');
    await installGitHook(box, it.repo);
    it.change('README.md', 'two\n');
    const { verdict, stderr } = await push(box, it);
    expect(verdict).toBe('held');
    expect(stderr).toContain('the hook before it, cannot be started');
  });

  test('runs under LANEHOLD_DISABLE=1, too', async () => {
    const box = sandbox();
    const it = shop(box);
    hook(box, join(it.repo, '.git/hooks/pre-push'), RECORDER);
    await installGitHook(box, it.repo);
    it.change('src/cart/add.ts');
    const seen = witness(box);
    const env = { ...seen.env, LANEHOLD_DISABLE: '1' };
    expect((await push(box, it, ['--dry-run'], { env })).verdict).toBe('pushed');
    expect(seen.said()).toBe(linesFor(it));
    seen.fail();
    expect((await push(box, it, [], { env })).verdict).toBe('refused');
  });
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

/** As the managers write them, as far as their way of working matters here. */
const MANAGERS = {
  husky: {
    write(box: Sandbox, it: Shop): void {
      it.git('config', 'core.hooksPath', '.husky/_');
      hook(box, join(it.repo, '.husky/pre-push'), RECORDER);
      box.write(join(it.repo, '.husky/_/.gitignore'), '*');
      hook(box, join(it.repo, '.husky/_/pre-push'), '#!/usr/bin/env sh\n. "$(dirname "$0")/h"');
      box.write(
        join(it.repo, '.husky/_/h'),
        '#!/usr/bin/env sh\nname=$(basename "$0")\nscript=$(dirname "$(dirname "$0")")/$name\n' +
          '[ ! -f "$script" ] && exit 0\nsh -e "$script" "$@"\n',
      );
    },
    folder: '.husky/_',
  },
  lefthook: {
    write(box: Sandbox, it: Shop): void {
      const file = join(it.repo, '.git/hooks/pre-push');
      if (existsSync(file) && !readFileSync(file, 'utf8').includes('LEFTHOOK')) {
        renameSync(file, `${file}.old`);
      }
      const run = hook(box, 'bin/lefthook', RECORDER);
      hook(
        box,
        file,
        '#!/bin/sh\nif [ "$LEFTHOOK" = "0" ]; then\n  exit 0\nfi\n' +
          `call_lefthook()\n{\n  shift 2\n  "${run}" "$@"\n}\ncall_lefthook run "pre-push" "$@"\n`,
      );
    },
    folder: '.git/hooks',
  },
} as const;

describe.each(Object.entries(MANAGERS))('with %s', (name, { write, folder }) => {
  test('its hook runs first', async () => {
    const box = sandbox();
    const it = shop(box);
    write(box, it);
    const installed = await gitHook(box, it.repo, 'install');
    expect(installed).toMatchObject({ state: 'new', other: name, warnings: [] });
    await expectBothRun(box, it, witness(box));
  });

  test('its own again over ours is told, and repaired', async () => {
    const box = sandbox();
    const it = shop(box);
    write(box, it);
    const before = contents(join(it.repo, folder));
    await gitHook(box, it.repo, 'install');
    for (let times = 0; times < 2; times += 1) {
      write(box, it);
      const status = await command(box, it.repo, ['git-hook', 'status']);
      expect(status.exitCode).toBe(1);
      expect(status.stdout).toMatch(/^replaced: /);
      expect(status.stdout).toContain(`the hook of ${name} was put in its place`);
      const { stdout } = await command(box, it.repo, ['doctor', '--json']);
      const finding = {
        check: 'git-hook',
        state: 'broken',
        hint: 'run `lanehold git-hook install`',
      };
      expect(JSON.parse(stdout).findings).toContainEqual(expect.objectContaining(finding));
      const repaired = await gitHook(box, it.repo, 'install');
      expect(repaired).toMatchObject({ state: 'repaired' });
      expect(repaired).not.toHaveProperty('setAside');
    }
    await expectBothRun(box, it, witness(box));
    await gitHook(box, it.repo, 'remove');
    expect(contents(join(it.repo, folder))).toEqual(before);
  });

  test('its own again over ours: removing leaves just that', async () => {
    const box = sandbox();
    const it = shop(box);
    write(box, it);
    const before = contents(join(it.repo, folder));
    await gitHook(box, it.repo, 'install');
    write(box, it);
    await gitHook(box, it.repo, 'remove');
    expect(contents(join(it.repo, folder))).toEqual(before);
  });
});

describe('with pre-commit', () => {
  /** Starts the hook that it found, then does its own work; as its template and program do. */
  function preCommit(box: Sandbox, it: Shop): void {
    const file = join(it.repo, '.git/hooks/pre-push');
    if (existsSync(file) && !readFileSync(file, 'utf8').includes('generated by pre-commit')) {
      renameSync(file, `${file}.legacy`);
    }
    const run = hook(
      box,
      'bin/pre-commit',
      '#!/bin/sh\nhere=$1; shift\ninput=$(cat)\n' +
        '[ -z "$PRE_COMMIT_RUNNING_LEGACY" ] || exit 9\nexport PRE_COMMIT_RUNNING_LEGACY=1\n' +
        'if [ -x "$here/pre-push.legacy" ]; then\n' +
        '  printf "%s\\n" "$input" | "$here/pre-push.legacy" "$@" || exit\nfi\n' +
        `printf "%s\\n" "$input" | "${hook(box, 'bin/recorder', RECORDER)}" "$@"\n`,
    );
    hook(
      box,
      file,
      '#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\n' +
        `HERE="$(cd "$(dirname "$0")" && pwd)"\nexec "${run}" "$HERE" "$@"\n`,
    );
  }

  test('its hook runs first', async () => {
    const box = sandbox();
    const it = shop(box);
    preCommit(box, it);
    expect(await gitHook(box, it.repo, 'install')).toMatchObject({ other: 'pre-commit' });
    await expectBothRun(box, it, witness(box));
  });

  test.each([
    ['which was there before', true],
    ['which comes later', false],
  ])('ours is started by its hook, %s, when it is installed over ours', async (_, first) => {
    const box = sandbox();
    const it = shop(box);
    if (first) preCommit(box, it);
    await gitHook(box, it.repo, 'install');
    preCommit(box, it);
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({
      state: 'installed',
      file: join(it.repo, '.git/hooks/pre-push.legacy'),
      other: 'pre-commit',
    });
    expect(await gitHook(box, it.repo, 'install')).toMatchObject({ state: 'current' });
    it.change('src/cart/add.ts');
    expect((await push(box, it)).held).toEqual(['cart']);
    await it.verify('cart');
    const seen = witness(box);
    const tip = linesFor(it);
    expect((await push(box, it, [], seen)).verdict).toBe('pushed');
    expect(seen.said()).toBe(tip);
    await gitHook(box, it.repo, 'remove');
    const left = readdirSync(join(it.repo, '.git/hooks')).filter((name) => /^pre-push/.test(name));
    expect(left.filter((name) => !name.endsWith('.sample'))).toEqual(['pre-push']);
  });
});

test("a person's own hook is never lost to a manager that comes later", async () => {
  const box = sandbox();
  const it = shop(box);
  const file = join(it.repo, '.git/hooks/pre-push');
  hook(box, file, '#!/bin/sh\n# mine\n');
  await gitHook(box, it.repo, 'install');
  MANAGERS.lefthook.write(box, it);
  const { state, setAside } = await gitHook(box, it.repo, 'install');
  expect({ state, setAside }).toEqual({
    state: 'repaired',
    setAside: `${file}.before-lanehold.1`,
  });
  expect(readFileSync(setAside, 'utf8')).toContain('# mine');
  await gitHook(box, it.repo, 'remove');
  expect(readFileSync(file, 'utf8')).toContain('call_lefthook');
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
  async function installed(box: Sandbox, it: Shop, program = currentRuntime().hook) {
    const folder = join(box.root, `it's "a" $(package)`);
    const [node, hookFile] = [join(folder, 'node'), join(folder, 'lanehold-hook.cjs')];
    box.write(hookFile, `require(${JSON.stringify(program)});\n`);
    symlinkSync(process.execPath, node);
    const { world } = bufferedWorld([], { env: box.env, cwd: () => it.repo });
    await runGitHookInstall(createContext(world, {}), { node, hook: hookFile });
    return { node, hookFile, folder };
  }

  test('is no PATH', async () => {
    const box = sandbox();
    const it = shop(box);
    await installed(box, it, join(dirname(currentRuntime().hook), 'lanehold-hook-main.cjs'));
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
    expect(stderr).toMatch(/; repair it with `.*lanehold git-hook install`\n$/);
    const disabled = { ...start, env: { ...start.env, LANEHOLD_DISABLE: '1' } };
    expect((await runProgram(hookFile, ['origin', it.remote], disabled)).exitCode).toBe(0);

    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ exitCode: 1, state: 'broken' });
    expect(await gitHook(box, it.repo, 'install')).toMatchObject({ state: 'upgrade' });
    expect(await gitHook(box, it.repo, 'status')).toMatchObject({ exitCode: 0 });
  });

  test('may be another Node, found on PATH', async () => {
    const box = sandbox();
    const it = shop(box);
    rmSync(
      (await installed(box, it, join(dirname(currentRuntime().hook), 'lanehold-hook-main.cjs')))
        .node,
    );
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
    expect(stderr).toContain('its program is incomplete');
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
    fact: `the git hook holds pushes: ${file}`,
  });
});
