import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { integrate } from '../../../src/lanes/queue/integrate.ts';
import { land } from '../../../src/lanes/queue/land.ts';
import { SLOW, words } from './words.ts';

test(
  'validations have the same setup, included files and ports as lanes',
  async () => {
    const lanes = { setup: 'mkdir -p deps && cp lock.txt deps/', setupCache: ['lock.txt'] };
    const it = await words({
      files: {
        'lanehold.json': JSON.stringify({ lanes }),
        'lock.txt': 'locked\n',
        '.gitignore': 'deps\n.env\n',
        '.worktreeinclude': '.env\n',
        'found.sh': 'test -f deps/lock.txt && test -f .env && test "$LANEHOLD_PORT_0" -gt 0\n',
      },
      validate: 'sh found.sh',
    });
    it.box.write(join(it.repo, '.env'), 'KEY=1\n');
    it.verified('a', { 'a.txt': 'a\n' }, { ports: 1 });
    const report = await it.integrate();
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['a']);
  },
  SLOW,
);

test(
  'any names and descriptions survive merges, conflicts and commits',
  async () => {
    const it = await words({ validate: 'true' });
    const name = 'src/$(touch pwned) "x"\n💥.txt';
    it.verified('a', { [name]: 'a\n' }, { desc: '`id`; $(id) | "\n\n--author=x\n💥' });
    it.verified('b', { [name]: 'b\n' });
    const report = await it.integrate();
    expect(report.conflicts).toMatchObject([
      { lane: 'b', paths: [name], with: ['a'], asks: false },
    ]);
    const body = it.git('log', '-1', '--format=%B', report.tip);
    expect(body).toBe('Merge lane a of billing\n\n`id`; $(id) | "\n\n--author=x\n💥\n');
    expect(existsSync(join(it.repo, 'pwned'))).toBe(false);
  },
  SLOW,
);

test(
  'works in a bare repository, too',
  async () => {
    const it = await words({ validate: 'true' });
    it.verified('a', { 'a.txt': 'a\n' });
    const bare = it.box.repo('bare.git', '--bare');
    it.box.git(bare, 'fetch', '--quiet', it.repo, '+refs/heads/*:refs/heads/*');
    const run = { ...it.run, repository: bare, commonDir: bare };
    const signal = new AbortController().signal;
    const report = await integrate(it.context, run, { signal, progress: () => undefined });
    expect(report.integrated.map(({ lane }) => lane)).toEqual(['a']);
    expect(await land(it.context, run)).toMatchObject({ verdict: 'landed', lanes: ['a'] });
    expect(it.box.git(bare, 'show', 'main:a.txt')).toBe('a');
  },
  SLOW,
);
