/** A session as an agent lives it, through the built hook: told once, held, let through. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeOf } from '../../../src/base/files/home.ts';
import { AT_ONCE, type Caller } from '../../../src/moments/lifecycle/handler.ts';
import { sessionStart as onSessionStart } from '../../../src/moments/lifecycle/session-start.ts';
import { openStore } from '../../../src/store/open.ts';
import { command } from '../../support/command.ts';
import { afterEdit, beforeCommand, sessionStart, stop } from '../../support/payloads.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { type Features, shop } from '../../support/shop.ts';

type Moment = Parameters<Sandbox['hook']>;

/** What the model is told at a moment; '' if nothing. */
async function told(box: Sandbox, ...moment: Moment): Promise<string> {
  const run = await box.hook(...moment);
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  return run.stdout === '' ? '' : JSON.parse(run.stdout).hookSpecificOutput.additionalContext;
}

/** What the agent's command is refused with; '' if it may run. */
async function refused(box: Sandbox, folder: string, text: string): Promise<string> {
  const run = await box.hook('before-tool', beforeCommand(folder, text));
  expect(run.stderr).toBe('');
  if (run.stdout === '') return '';
  const { permissionDecision, permissionDecisionReason } = JSON.parse(
    run.stdout,
  ).hookSpecificOutput;
  expect({ permissionDecision, exitCode: run.exitCode }).toEqual({
    permissionDecision: 'deny',
    exitCode: 2,
  });
  return permissionDecisionReason;
}

const session = (payload: object, id: string) => ({ ...payload, session_id: id });

describe('the first touch of a feature in a session', () => {
  test('is said in one line, the second not at all, another session hears it again', async () => {
    const box = sandbox();
    const { repo } = shop(box);
    const cart = afterEdit(repo, join(repo, 'src/cart/add.ts'));
    const first = await told(box, 'after-tool', cart);
    expect(first).toMatch(
      /^lanehold: this edit touches feature cart; before a push .*verify cart`\.$/,
    );
    expect(await told(box, 'after-tool', cart)).toBe('');
    const other = afterEdit(repo, join(repo, 'src/cart/other.ts'));
    expect(await told(box, 'after-tool', other)).toBe('');
    expect(await told(box, 'after-tool', session(cart, 'session-2'))).toBe(first);
    const checkout = afterEdit(repo, join(repo, 'src/checkout/pay.ts'));
    expect(await told(box, 'after-tool', checkout)).toContain('touches feature checkout;');
    expect(await told(box, 'after-tool', session(checkout, 'session-2'))).not.toBe('');
  });

  test('counts what depends on it, and says nothing of files of no feature', async () => {
    const features: Features = {
      cart: { files: ['src/cart/**'] },
      checkout: { files: ['src/checkout/**'], dependsOn: ['cart'] },
    };
    const box = sandbox();
    const { repo } = shop(box, { features });
    expect(await told(box, 'after-tool', afterEdit(repo, join(repo, 'README.md')))).toBe('');
    const cart = afterEdit(repo, join(repo, 'src/cart/add.ts'));
    expect(await told(box, 'after-tool', cart)).toContain('touches features cart, checkout;');
  });

  test('reaches the project that the file is in, not the one of the session', async () => {
    const box = sandbox();
    const { repo } = shop(box);
    const file = join(repo, 'src/cart/add.ts');
    expect(await told(box, 'after-tool', afterEdit(box.home, file))).toContain('feature cart;');
    expect(await told(box, 'after-tool', afterEdit(repo, join(box.home, 'src/cart/x')))).toBe('');
  });
});

describe('edits that no tool reports', () => {
  test('are found at the end of the turn, and told to the next session', async () => {
    const box = sandbox();
    const { repo, write } = shop(box);
    expect(await told(box, 'session-start', sessionStart(repo))).toBe('');
    // As `sed -i` would, in a command that says nothing of it.
    write('src/cart/add.ts', 'edited by a command\n');
    expect(await told(box, 'stop', stop(repo))).toBe('');
    const next = await told(box, 'session-start', session(sessionStart(repo), 'session-2'));
    expect(next.split('\n')).toEqual([
      'lanehold: 1 feature is changed and not verified; a push or publish will be held.',
      '- cart: true',
      expect.stringMatching(/^Before you push: .* feature verify --pending$/),
    ]);
  });

  test('in a commit of the session count, too', async () => {
    const box = sandbox();
    const { repo, change } = shop(box);
    await told(box, 'session-start', sessionStart(repo));
    change('src/cart/add.ts');
    await told(box, 'stop', stop(repo));
    const next = await told(box, 'session-start', session(sessionStart(repo), 'session-2'));
    expect(next).toContain('- cart: true');
  });
});

describe('the start of a session', () => {
  test('takes six lines at most, however much is held, and names all there is room for', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `feature-${index}`);
    const features = Object.fromEntries(
      names.map((name) => [name, { files: ['src/**'], smoke: ['true'] }]),
    );
    const box = sandbox();
    const { repo, write } = shop(box, { features });
    write('src/cart/add.ts', 'two\n');
    const said = await told(box, 'session-start', sessionStart(repo));
    expect(said.split('\n').length).toBeLessThanOrEqual(6);
    expect(said).toContain('lanehold: 30 features are changed and not verified;');
    expect(said).toContain('- and 27 more: ');
  });

  test('names each feature once, also one whose definition was weakened', async () => {
    const strong: Features = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [name, { files: ['src/**'], smoke: ['true', 'echo'] }]),
    );
    // One is weakened, the others are taken out.
    const weak: Features = { a: { files: ['src/**'], smoke: ['true'] } };
    const box = sandbox();
    const { repo, write, register } = shop(box, { features: strong });
    register(weak);
    write('src/cart/add.ts', 'two\n');
    const said = await told(box, 'session-start', sessionStart(repo));
    expect(said).toContain('lanehold: 4 features are changed');
    for (const name of ['a', 'b', 'c']) {
      expect(said.match(new RegExp(`^- ${name}: true`, 'gm'))).toHaveLength(1);
    }
    expect(said).toContain('- and 1 more: d');
  });

  test('says nothing when nothing is held', async () => {
    const box = sandbox();
    const { repo, write, verify } = shop(box);
    write('src/cart/add.ts', 'two\n');
    await verify('cart');
    expect(await told(box, 'session-start', sessionStart(repo))).toBe('');
  });

  test('says that the last verification failed', async () => {
    const box = sandbox();
    const features = { cart: { files: ['src/cart/**'], smoke: ['false'] } };
    const { repo, write, lanehold } = shop(box, { features });
    write('src/cart/add.ts', 'two\n');
    await lanehold('feature', 'verify', 'cart');
    const said = await told(box, 'session-start', sessionStart(repo));
    expect(said).toContain('- cart (its last verification failed): false\n');
  });
});

describe('a project without features', () => {
  test('is told so once a week, wherever in it a session starts', async () => {
    const box = sandbox();
    const repo = box.repo('plain');
    box.write('plain/src/a.ts', '');
    const store = await openStore(homeOf(box.env));
    const start = new Date('2026-03-01T12:00:00Z').getTime();
    const onDay = (day: number, id: string, cwd = repo) => {
      const caller: Caller = {
        agent: 'claude-code',
        env: box.env,
        now: () => new Date(start + day * 86_400_000),
        store: async () => store,
        ...AT_ONCE,
      };
      return onSessionStart({ kind: 'session-start', session: id, cwd, source: 'new' }, caller);
    };
    const said = await onDay(0, 'one');
    expect(said).toMatchObject({ decision: 'none' });
    const { context = '' } = said as { context?: string };
    expect(context).toMatch(
      /^lanehold: this project has no features yet.*feature discover` proposes some\.$/,
    );
    expect(await onDay(0, 'one')).toEqual({ decision: 'none' });
    expect(await onDay(6.9, 'two', join(repo, 'src'))).toEqual({ decision: 'none' });
    expect(await onDay(7.1, 'three', join(repo, 'src'))).toEqual(said);
    expect(await onDay(8, 'four')).toEqual({ decision: 'none' });
    store.close();
  });

  test('is held by nothing and heard of nowhere else', async () => {
    const box = sandbox();
    const repo = box.repo('plain');
    const file = box.write('plain/a.ts', '');
    box.commit(repo);
    expect(await told(box, 'session-start', sessionStart(repo))).toContain('no features yet');
    expect(await told(box, 'session-start', sessionStart(repo))).toBe('');
    expect(await told(box, 'after-tool', afterEdit(repo, file))).toBe('');
    expect(await told(box, 'stop', stop(repo))).toBe('');
    expect(await refused(box, repo, 'git push origin main')).toBe('');
    expect(await refused(box, repo, 'npm publish')).toBe('');
  });
});

describe('edit, push, verify, push', () => {
  test('held, failed, mended, verified, let through, and held again by one byte', async () => {
    const features = { cart: { files: ['src/cart/**'], smoke: ['grep -q works src/cart/add.ts'] } };
    const box = sandbox();
    const { repo, remote, change, git, commit, write } = shop(box, { features });
    write('src/cart/add.ts', 'broken\n');
    expect(await told(box, 'after-tool', afterEdit(repo, join(repo, 'src/cart/add.ts')))).not.toBe(
      '',
    );
    commit();
    expect(await refused(box, repo, 'git push')).toContain('- cart: never verified\n');

    expect((await command(box, repo, ['feature', 'verify', 'cart'])).exitCode).toBe(1);
    expect(await refused(box, repo, 'git push')).toContain(
      '- cart: `grep -q works src/cart/add.ts` failed with exit code 1\n',
    );
    change('src/cart/add.ts', 'works\n');
    expect((await command(box, repo, ['feature', 'verify', '--pending'])).exitCode).toBe(0);
    expect(await refused(box, repo, 'git push')).toBe('');
    git('push', '--quiet');
    expect(box.git(remote, 'rev-parse', 'main')).toBe(git('rev-parse', 'HEAD'));

    change('src/cart/add.ts', 'works!\n');
    expect(await refused(box, repo, 'git push')).toContain('src/cart/add.ts');
  });
});
