/**
 * What features are made of is told from git's status and from what this process has kept: it has to be what git
 * would commit.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { featureContent } from '../../src/features/fingerprint.ts';
import { withOthers } from '../../src/features/match.ts';
import { command } from '../support/command.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Features, shop } from '../support/shop.ts';

const FEATURES = {
  cart: { files: ['src/cart/**'], smoke: ['true'] },
  pay: { files: ['src/pay/*.ts', '!src/pay/no.ts'], smoke: ['true'], dependsOn: ['cart'] },
  mail: { files: ['src/mail.ts', 'src/cart/a.ts'], smoke: ['true'] },
  rest: { rest: true, smoke: ['true'] },
} as const satisfies Features;
const STEPS = 40;
const PATHS = [
  'cart/a.ts',
  'cart/b.ts',
  'cart/deep/c.ts',
  'pay/d.ts',
  'pay/no.ts',
  'mail.ts',
  'data.json',
];

test.each([1, 2, 3])(
  'after any changes the fingerprints are those of that tree (seed %i)',
  async (seed) => {
    const box = sandbox();
    const { repo, write } = shop(box, { features: FEATURES });
    const random = seededRandom(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const file = (path: string) => join(repo, 'src', path);
    const git = (...args: string[]) => box.git(repo, ...args);
    const isThere = (path: string) => existsSync(file(path));

    const changes: Record<string, () => void> = {
      write: () => write(`src/${pick(PATHS)}`, `export const n = ${Math.floor(random() * 3)};\n`),
      remove: () => rmSync(file(pick(PATHS)), { force: true }),
      mode: () => {
        const path = pick(PATHS);
        if (isThere(path)) chmodSync(file(path), pick([0o755, 0o644]));
      },
      rename: () => {
        const [from, to] = [pick(PATHS), pick(PATHS)];
        mkdirSync(dirname(file(to)), { recursive: true });
        if (isThere(from)) renameSync(file(from), file(to));
      },
      stage: () => git('add', '--all'),
      'stage one': () => {
        const path = pick(PATHS);
        if (isThere(path)) git('add', `src/${path}`);
      },
      unstage: () => git('reset', '--quiet'),
      untrack: () => git('rm', '--quiet', '--cached', '--ignore-unmatch', `src/${pick(PATHS)}`),
      commit: () => git('commit', '--quiet', '--allow-empty', '--message', 'next'),
      amend: () => git('commit', '--quiet', '--allow-empty', '--amend', '--no-edit'),
      'step back': () => git('checkout', '--quiet', '--force', 'HEAD'),
      stash: () => git('stash', 'push', '--quiet', '--include-untracked'),
    };

    const defined = Object.entries(FEATURES).map(([name, it]) => {
      const smoke = it.smoke.map((text) => ({ command: text, timeoutMs: 600_000, cwd: '' }));
      const dependsOn = 'dependsOn' in it ? it.dependsOn : [];
      const files = 'files' in it ? it.files : [];
      const rest = 'rest' in it && { rest: it.rest };
      return { name, files, ...rest, smoke, dependsOn, description: '' };
    });
    const features = new Map(withOthers(defined).map((it) => [it.name, it]));
    const fingerprintIn = (name: string, listing: string): string => {
      const entries = listing.split('\0').flatMap((line) => {
        const [, mode = '', oid = '', path] = /^(\d+) (?:blob )?(\w+).*?\t(.*)$/s.exec(line) ?? [];
        return path === undefined ? [] : [{ mode, oid, path }];
      });
      const content = featureContent(name, features);
      return content.fingerprint(content.entriesIn(entries));
    };
    /** All that is there, in an index of its own. */
    const worktree = (): string => {
      const index = join(box.root, 'index');
      rmSync(index, { force: true });
      const options = { cwd: repo, env: { ...box.env, GIT_INDEX_FILE: index } };
      execFileSync('git', ['add', '--all'], options);
      return execFileSync('git', ['ls-files', '--stage', '-z'], { ...options, encoding: 'utf8' });
    };
    const json = async (...argv: string[]) =>
      JSON.parse((await command(box, repo, [...argv, '--json'])).stdout);

    for (let step = 0; step < STEPS; step += 1) {
      const change = pick(Object.keys(changes));
      changes[change]?.();
      const here = worktree();
      const committed = git('ls-tree', '-r', '-z', 'HEAD');
      const list = await json('feature', 'list');
      for (const { name, fingerprint } of list.features) {
        expect({ step, change, name, fingerprint }).toEqual({
          ...{ step, change, name },
          fingerprint: fingerprintIn(name, here),
        });
      }
      const { held } = await json('feature', 'pending', '--head', 'HEAD');
      for (const { feature: name, fingerprint } of held) {
        expect({ step, change, name, fingerprint }).toEqual({
          ...{ step, change, name },
          fingerprint: fingerprintIn(name, committed),
        });
      }
    }
  },
);
