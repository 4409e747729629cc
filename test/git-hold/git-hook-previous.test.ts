/** The hook that was there before ours: real git, the built program. */
import { chmodSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installGitHook, push } from '../support/pushing.ts';
import { sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';
import {
  contents,
  expectBothRun,
  gitHook,
  hook,
  linesFor,
  RECORDER,
  witness,
} from './git-hooks.ts';

describe('a hook that is there', () => {
  test('runs after ours, on the same input and arguments, and its failure counts', async () => {
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
