/** A push of another branch or a tag that was held is listed until it is settled. */
import { expect, test } from 'vitest';
import { beforeCommand, sessionStart } from '../support/payloads.ts';
import { type Payload, sandbox } from '../support/sandbox.ts';
import { FEATURES, type Shop, shop } from '../support/shop.ts';

/** `topic` and the tag `v1` have changes of their own; `main` is checked out, and as the remote has it. */
function branches() {
  const box = sandbox();
  const project = shop(box, { features: { cart: FEATURES.cart } });
  const { git, change, repo } = project;
  git('switch', '--quiet', '--create', 'topic');
  change('src/cart/add.ts', 'on a branch\n');
  git('switch', '--quiet', '--create', 'old', 'main');
  change('src/cart/add.ts', 'tagged\n');
  git('tag', '--annotate', '--message', 'one', 'v1');
  git('switch', '--quiet', 'main');
  const hook = async (event: 'before-tool' | 'session-start', payload: Payload) => {
    const { stdout } = await box.hook(event, payload);
    return stdout === '' ? {} : JSON.parse(stdout).hookSpecificOutput;
  };
  return {
    ...project,
    push: (words: string) => hook('before-tool', beforeCommand(repo, `git push ${words}`)),
    start: async () => (await hook('session-start', sessionStart(repo))).additionalContext,
  };
}

async function listed({ lanehold }: Shop) {
  const run = async (...argv: string[]) => (await lanehold(...argv)).stdout;
  return {
    status: /push of (\S+) to origin/.exec(await run('status'))?.[1],
    pending: /push of (\S+) to origin/.exec(await run('feature', 'pending'))?.[1],
    line: (await run('statusline')).trim(),
  };
}

const NOTHING = { status: undefined, pending: undefined, line: 'lanehold: nothing to verify' };
const TOPIC = { status: 'topic', pending: 'topic', line: 'lanehold: held push: topic' };

test('it is listed everywhere, with the command that lets it through', async () => {
  const it = branches();
  // A commit without a name is in no list: no branch can be deleted to end it.
  const commit = it.git('rev-parse', 'topic');
  expect((await it.push(`origin ${commit}:refs/heads/new`)).permissionDecision).toBe('deny');
  expect(await listed(it)).toEqual(NOTHING);
  expect(await it.push('origin topic')).toMatchObject({ permissionDecision: 'deny' });
  expect(await listed(it)).toEqual(TOPIC);
  expect(await it.start()).toMatch(/^- push of topic to origin: cart: never verified; `/m);
  const status = await it.lanehold('status');
  expect(status.stdout).not.toContain('Nothing held');
  const [, verify = ''] = /`lanehold (feature verify cart --at \w+)`/.exec(status.stdout) ?? [];
  expect(await it.lanehold('feature', 'pending')).toMatchObject({ exitCode: 3 });
  expect(JSON.parse((await it.lanehold('status', '--json')).stdout).hold).toMatchObject({
    verdict: 'pass',
    held: [],
    pushes: [{ remote: 'origin', source: 'refs/heads/topic', held: [{ feature: 'cart' }] }],
  });
  const none = await it.lanehold('feature', 'verify', '--pending');
  expect(none).toMatchObject({ exitCode: 1, stdout: '' });
  expect(none.stderr).toContain(`but a push is held\nhint: push of topic to origin: cart:`);
  // Without git as well: the record is about the same content.
  await it.verify(...verify.split(' ').slice(2));
  expect((await listed(it)).line).toBe(NOTHING.line);
  expect(await listed(it)).toEqual(NOTHING);
});

test.each<[string, (it: Shop) => unknown]>([
  ['waived', (it) => it.lanehold('feature', 'waive', 'cart', '--at', 'topic', '--reason', 'x')],
  ['pushed all the same', (it) => it.git('push', '--quiet', 'origin', 'topic')],
  ['gone', (it) => it.git('branch', '--quiet', '-D', 'topic')],
  ['set back to what others have', (it) => it.git('branch', '--force', 'topic', 'main')],
])('until it is %s', async (_, settle) => {
  const it = branches();
  await it.push('origin topic');
  await settle(it);
  await it.lanehold('status');
  expect(await listed(it)).toEqual(NOTHING);
});

test('that of the branch with its upstream is told once, and settled when it is verified', async () => {
  const it = branches();
  it.git('branch', '--set-upstream-to=origin/main');
  it.change('src/cart/add.ts', 'on main\n');
  expect(await it.push('')).toMatchObject({ permissionDecision: 'deny' });
  const told = await it.start();
  expect(told).toMatch(/1 feature is changed/);
  expect(told).not.toContain('push of');
  it.write('src/cart/add.ts', 'not committed\n');
  expect(await it.start()).toMatch(/^- push of main to origin: cart: never verified; `/m);
  it.git('checkout', '--', 'src');
  await it.verify('cart');
  expect(await it.start()).toBeUndefined();
  it.write('src/cart/add.ts', 'not committed\n');
  expect(await it.start()).not.toContain('push of');
});

test('a tag is listed, HEAD by the name of its branch, and what `gate` is asked about is not', async () => {
  const it = branches();
  await it.judge('git push origin topic');
  expect(await listed(it)).toEqual(NOTHING);
  await it.push('origin v1');
  expect((await listed(it)).line).toBe('lanehold: held push: v1');
  it.git('switch', '--quiet', 'topic');
  await it.push('origin HEAD');
  it.git('switch', '--quiet', 'main');
  expect((await listed(it)).line).toBe('lanehold: held push: topic, v1');
  it.change('src/cart/add.ts', 'here\n');
  await it.push('');
  expect((await listed(it)).line).toBe('lanehold: 1 to verify: cart; held push: topic, v1');
});
