/** `lanehold gate`: the same answer for CI as for an agent, in three formats and four exit codes. */
import { describe, expect, test } from 'vitest';
import { command } from '../../../support/command.ts';
import { sandbox } from '../../../support/sandbox.ts';
import { shop } from '../../../support/shop.ts';

/** A shop whose cart was changed in a commit that is not pushed. */
function changedShop() {
  const project = shop(sandbox());
  const oid = project.change('src/cart/add.ts');
  return { ...project, oid };
}

describe('two revisions', () => {
  test('held: exit code 3, the reason and the way out', async () => {
    const { lanehold } = changedShop();
    const run = await lanehold('gate', '--base', 'origin/main', '--head', 'main');
    expect(run).toEqual({
      exitCode: 3,
      stderr: '',
      stdout: [
        'lanehold holds `main`: 1 feature is not verified for exactly what leaves',
        '- cart: never verified',
        'Verify, then run the command again: lanehold feature verify cart',
        "If that is impossible, a person may agree to: lanehold feature waive cart --reason 'REASON'",
        '',
      ].join('\n'),
    });
  });

  test('pass: exit code 0, and what it rests on', async () => {
    const { lanehold, verify } = changedShop();
    await verify('cart');
    expect(await lanehold('gate', '--base', 'HEAD~1')).toMatchObject({
      exitCode: 0,
      stdout: 'Pass: cart verified for exactly what leaves\n',
    });
    expect(await lanehold('gate', '--base', 'HEAD')).toMatchObject({
      exitCode: 0,
      stdout: 'Pass: no feature is affected\n',
    });
  });

  test('by default HEAD against what the upstream branch has', async () => {
    const { lanehold, git } = changedShop();
    expect((await lanehold('gate')).exitCode).toBe(3);
    git('reset', '--quiet', '--hard', 'HEAD~1');
    expect((await lanehold('gate')).exitCode).toBe(0);
  });

  test('usage: exit code 2', async () => {
    const { lanehold } = changedShop();
    for (const [argv, fact] of [
      [['--base', 'nowhere'], '`nowhere` is no commit in this repository'],
      [['--head', 'nowhere'], '`nowhere` is no commit in this repository'],
      [['--format', 'xml'], 'there is no format `xml`'],
      [['--command', 'git push', '--base', 'main'], '--command says itself what leaves'],
    ] as const) {
      const { exitCode, stdout, stderr } = await lanehold('gate', ...argv);
      expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 2, stdout: '' });
      expect(stderr).toContain(`error: ${fact}\nhint: `);
    }
  });

  test('cannot tell: exit code 1', async () => {
    const { lanehold, write, commit } = changedShop();
    write('lanehold.json', '{');
    commit();
    const { exitCode, stderr } = await lanehold('gate', '--base', 'origin/main');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: lanehold\.json in [0-9a-f]{12}:1:2: /);
  });
});

describe('formats', () => {
  test('json says all of it', async () => {
    const { lanehold, oid, verify, write, commit } = changedShop();
    await verify('cart');
    write('src/cart/add.ts', 'three\n');
    write('src/checkout/pay.ts', 'two\n');
    const head = commit();
    await verify('checkout');
    expect(oid).not.toBe(head);
    for (const flag of [['--format', 'json'], ['--json']]) {
      const { exitCode, stdout } = await lanehold('gate', '--base', 'origin/main', ...flag);
      expect(exitCode).toBe(3);
      expect(JSON.parse(stdout)).toEqual({
        decision: 'deny',
        rule: null,
        reason: expect.stringContaining('- cart: changed since'),
        undecided: null,
        cannotTell: false,
        findings: [],
        verdict: 'held',
        held: [
          {
            feature: 'cart',
            definedBy: 'subject',
            fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
            smoke: ['true'],
            reason: 'changed-since',
            changedFiles: ['src/cart/add.ts'],
            evidence: expect.any(Number),
            at: head,
          },
        ],
        verified: ['checkout'],
        uncovered: [],
        refusedEvidence: [],
      });
    }
  });

  test('github writes annotations, and the text for the log', async () => {
    const { lanehold, verify } = changedShop();
    const argv = ['gate', '--base', 'origin/main', '--format', 'github'];
    const held = await lanehold(...argv);
    expect(held.exitCode).toBe(3);
    const [annotation, ...rest] = held.stdout.split('\n');
    expect(annotation).toMatch(
      /^::error title=lanehold holds `HEAD`%3A 1 feature is not verified[^:,]*::- cart: never verified%0AVerify, then /,
    );
    expect(rest.join('\n')).toContain('- cart: never verified\n');
    await verify('cart');
    expect((await lanehold(...argv)).stdout).toBe(
      '::notice title=lanehold::Pass: cart verified for exactly what leaves\n',
    );
  });

  test('github cannot be told commands by names in the repository', async () => {
    const { lanehold, change, verify } = changedShop();
    await verify('cart');
    change('src/cart/a\n::error::forged%0A.ts');
    const { stdout } = await lanehold('gate', '--base', 'origin/main', '--format', 'github');
    expect(stdout.match(/^::/gm)).toHaveLength(1);
  });
});

describe('a command', () => {
  test.each([
    ['git push', 3, /^lanehold holds `git push`: 1 feature/],
    ['git push origin HEAD~1:main', 0, /^Pass: `git push` may run\n$/],
    ['ls -la', 0, /^Pass: no command in it is known to make work leave the machine\n$/],
    [
      '"$(cat tool)" --version',
      0,
      /^Undecided, and passes because nothing in it looks like a release: /,
    ],
    ['git push origin nowhere', 1, /^lanehold holds `git push`: it cannot tell/],
    [
      "lanehold feature waive cart --reason 'x'",
      3,
      /^lanehold asks before `lanehold feature waive cart .*: it would lift a hold/,
    ],
  ])('%s: exit code %i', async (text, exitCode, words) => {
    const { lanehold } = changedShop();
    const run = await lanehold('gate', '--command', text);
    expect(run).toMatchObject({ exitCode, stderr: '' });
    expect(run.stdout).toMatch(words);
  });

  test('the JSON has the same keys as for a commit, and the features', async () => {
    const { lanehold } = changedShop();
    const data = async (...argv: string[]) =>
      JSON.parse((await lanehold('gate', '--json', ...argv)).stdout);
    const ofCommit = await data();
    const commands = [
      'git push',
      'git push origin HEAD~1:main',
      'ls',
      '"$(cat tool)" x',
      'eval "$(cat next) push"',
    ];
    for (const text of [...commands, 'git push origin nowhere', 'lanehold uninstall']) {
      const answer = await data('--command', text);
      expect(Object.keys(answer).sort(), text).toEqual(Object.keys(ofCommit).sort());
      const names = answer.held.map((it: { feature: string }) => it.feature);
      expect({ text, names }).toEqual({ text, names: text === 'git push' ? ['cart'] : [] });
    }
    expect((await data('--command', 'git push')).held).toEqual(ofCommit.held);
  });

  test('in a repository that has no features nothing is held', async () => {
    const box = sandbox();
    const repo = box.repo('plain');
    box.commit(repo);
    box.git(repo, 'remote', 'add', 'origin', box.repo('plain.git', '--bare'));
    for (const text of ['git push -u origin main', 'npm publish', 'gh pr create --fill']) {
      const run = await command(box, repo, ['gate', '--command', text]);
      expect({ text, exitCode: run.exitCode }).toEqual({ text, exitCode: 0 });
    }
  });
});
