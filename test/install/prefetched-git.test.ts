/** What the script in LANEHOLD_HOME asks git for while Node starts, and what the hook program takes of it. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installedScript, SHELLS } from '../support/installed-script.ts';
import { sandbox } from '../support/sandbox.ts';
import { FEATURES, type Features, shop } from '../support/shop.ts';

const PUSH = { tool_name: 'Bash', tool_input: { command: 'git push origin main' } };
const START = { hook_event_name: 'SessionStart', source: 'startup' };

/** A project in which a feature is held, and a git that notes what it is started for. */
function held(shell?: (typeof SHELLS)[number], folder = '', features: Features = FEATURES) {
  const box = sandbox();
  const { repo, write } = shop(box, { features });
  write('package.json', JSON.stringify({ scripts: { test: 'true' }, token: 'Not-To-Be-Kept' }));
  write('src/cart/add.ts', 'export const changed = true;\n');
  box.commit(repo);
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const log = join(box.root, 'starts');
  const path = [join(box.root, 'bin'), box.env.PATH].join(delimiter);
  const through = (script = ''): void => {
    const text = `#!/bin/sh\necho "\${LANEHOLD_PREFETCH:+early} $@" >>'${log}'\n${script}\nexec '${git}' "$@"\n`;
    chmodSync(box.write('bin/git', text), 0o755);
  };
  through();
  const cwd = join(repo, folder);
  const { real } = installedScript(box, cwd, shell);
  const ask = (input: object, env: object = {}) => {
    rmSync(log, { force: true });
    const said = real('source' in input ? 'session-start' : 'before-tool', input, {
      PATH: path,
      ...env,
    });
    const starts = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
    return { said: said.replaceAll(/\d+ s/g, ''), starts };
  };
  /** The answer of a hook program that asks git itself: of a variable like this the script knows nothing. */
  const usual = (input: object, env: object = {}) => ask(input, { ...env, GIT_FLUSH: '1' }).said;
  mkdirSync(join(box.laneholdHome, 'cache'), { mode: 0o700 });
  const left = () =>
    readdirSync(join(box.laneholdHome, 'cache')).filter((it) => it.startsWith('prefetch.'));
  return { box, repo, real, ask, usual, through, left };
}

const STARTS = [expect.stringMatching(/ config --list -z$/), expect.stringMatching(/ status .*-z/)];

describe.each(SHELLS.map((it) => [it.join(' '), it] as const))('%s', (_, shell) => {
  test.each([
    ['a push', PUSH],
    ['a session', START],
  ])('%s costs two starts of git, which are done before they are needed', (_name, input) => {
    const { ask, usual, left } = held(shell);
    const first = ask(input);
    expect(first.said).toContain('cart');
    const again = ask(input);
    expect(again.starts).toEqual(STARTS);
    expect(again.said).toBe(usual(input));
    expect(left()).toEqual([]);
  });
});

test('a command without a release word asks git for nothing', () => {
  const { ask } = held();
  expect(ask({ tool_name: 'Bash', tool_input: { command: 'npm test' } }).starts).toEqual([]);
});

test.each(['LANEHOLD_ATTEMPT', 'LANEHOLD_DISABLE'])('with %s only the program asks', (name) => {
  const { ask } = held();
  expect(ask(START).starts).toContainEqual(expect.stringMatching(/^early /));
  expect(ask(START, { [name]: '1' }).starts).not.toContainEqual(expect.stringMatching(/^early /));
});

test('what a hook that was killed has left is dropped a day later', () => {
  const { box, real, left } = held();
  const kept = box.write('home/.lanehold/cache/prefetch.1', '');
  utimesSync(box.write('home/.lanehold/cache/prefetch.2', ''), 0, 0);
  real('session-end', { hook_event_name: 'SessionEnd', reason: 'other' });
  expect(left()).toEqual([basename(kept)]);
});

test('however the home is written, its answers are found', () => {
  const { box, ask, left } = held();
  ask(PUSH);
  expect(ask(PUSH, { LANEHOLD_HOME: `${box.laneholdHome}//` }).starts).toEqual(STARTS);
  expect(left()).toEqual([]);
});

test('what changes between two events is seen', () => {
  const { box, repo, ask } = held();
  expect(ask(START).said).not.toContain('checkout');
  box.write(join(repo, 'src/checkout/pay.ts'), 'export const changed = true;\n');
  expect(ask(START).said).toContain('checkout');
  box.commit(repo);
  expect(ask(PUSH).said).toContain('checkout');
});

describe('git is asked anew', () => {
  test('where a variable leads it to another repository', () => {
    const { box, ask, usual } = held();
    const other = box.repo('other');
    box.commit(other);
    for (const env of [{ GIT_DIR: join(other, '.git') }, { GIT_INDEX_FILE: '/dev/null' }]) {
      const { said, starts } = ask(START, env);
      expect(said).toBe(usual(START, env));
      expect(said).toContain('cart');
      expect(starts.filter((it) => it.includes('status'))).toHaveLength(2);
    }
  });

  test('in a folder of the project', () => {
    const { ask, usual, left } = held(undefined, 'src');
    expect(ask(PUSH).said).toBe(usual(PUSH));
    expect(left()).toEqual([]);
  });

  test.each([
    ['fails', 'exit 1'],
    ['prints half of it', 'echo "# branch.oid"; exit 128'],
    ['is ended together with the script', 'echo half; kill -9 $PPID; exit 1'],
  ])('where the first one %s', (_, script) => {
    const { ask, usual, through, left } = held();
    const expected = usual(PUSH);
    through(`if [ "$LANEHOLD_PREFETCH" ]; then ${script}; fi`);
    expect(ask(PUSH).said).toBe(expected);
    expect(left()).toEqual([]);
  });
});

test.each([
  ['damaged', (file: string, kept: Buffer) => writeFileSync(file, kept.fill('b', 20, 60))],
  ['cut off', (file: string, kept: Buffer) => writeFileSync(file, kept.subarray(0, 300))],
  ['two halves of nothing', (file: string, kept: Buffer) => writeFileSync(file, kept.fill(0))],
  ['open to others', (file: string) => chmodSync(file, 0o622)],
])('objects are not believed from a file that is %s', (_, spoil) => {
  const { box, ask } = held();
  const { said } = ask(PUSH);
  const cache = join(box.laneholdHome, 'cache');
  const [name = ''] = readdirSync(cache).filter((it) => it.startsWith('facts.'));
  const file = join(cache, name);
  spoil(file, readFileSync(file));
  const again = ask(PUSH);
  expect(again.said).toBe(said);
  expect(again.starts).toContainEqual(expect.stringContaining('cat-file'));
  expect(ask(PUSH).starts).toHaveLength(2);
});

test('of the files in a repository only the registry is kept', () => {
  const cart = { files: ['src/cart/**'], smoke: ['npm test'] };
  const { box, ask } = held(undefined, '', { cart });
  for (const input of [PUSH, START]) expect(ask(input).said).toContain('cart');
  const cache = join(box.laneholdHome, 'cache');
  const facts = readdirSync(cache).filter((it) => it.startsWith('facts.'));
  const kept = facts.map((it) => readFileSync(join(cache, it), 'latin1')).join('');
  expect(kept).toContain('src/cart/**');
  expect(kept).not.toContain('Not-To-Be-Kept');
});
