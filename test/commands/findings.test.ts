import { describe, expect, test } from 'vitest';
import { boundaries, read } from './reading.ts';

test('a boundary says what leaves, from where, and how the walk came there', () => {
  expect(
    read('npm test\nsh -c "cd web && git -C api -c push.default=current push origin HEAD:x -f"'),
  ).toEqual([
    {
      verdict: 'boundary',
      before: [
        { argv: ['npm', 'test'], directory: '/repo', writesFile: false },
        { argv: ['cd', 'web'], directory: '/repo', writesFile: false },
      ],
      kind: 'push',
      rule: 'git push',
      leaves: 'refs',
      argv: ['git', '-C', 'api', '-c', 'push.default=current', 'push', 'origin', 'HEAD:x', '-f'],
      operands: ['origin', 'HEAD:x'],
      directory: '/repo/web/api',
      config: ['push.default=current'],
      path: ['line 2', 'sh -c', 'git push'],
    },
  ]);
});

test.each([
  ['git push', 'push', 'refs'],
  ['gh pr create', 'pull-request', 'head'],
  ['gh release create v1', 'release', 'head'],
  ['npm publish', 'publish', 'worktree'],
  ['docker push a', 'image-push', 'worktree'],
  ['kubectl apply -f x', 'deploy', 'worktree'],
  ['semantic-release', 'release', 'worktree'],
])('%s is a %s: %s leave', (command, kind, leaves) => {
  expect(boundaries(command)[0]).toMatchObject({ kind, leaves });
});

test('words that only running would tell are undefined', () => {
  const [found] = boundaries('git push "$(remote)" main');
  expect(found?.argv).toEqual(['git', 'push', undefined, 'main']);
  expect(found?.operands).toEqual([undefined, 'main']);
});

test.each([
  ['git --git-dir=.git push', '/repo/.git'],
  ['git --git-dir /x/y.git push', '/x/y.git'],
  ['GIT_DIR=other.git git push', '/repo/other.git'],
  ['export GIT_DIR=/z; git push', '/z'],
  ['cd sub; git --git-dir=.git push', '/repo/sub/.git'],
])('%s: the repository is %s', (command, gitDir) => {
  expect(boundaries(command)[0]).toMatchObject({ gitDir });
});

test('without such an option there is no gitDir', () => {
  expect(boundaries('git push')[0]).not.toHaveProperty('gitDir');
});

test('each boundary of a command is found', () => {
  const rules = boundaries('git push && gh pr create --fill; npm publish').map((it) => it.rule);
  expect(rules).toEqual(['git push', 'gh pr create', 'npm publish']);
});

test.each([
  ['f() { git push; }; f', ['function f', 'git push']],
  ['echo $(git push)', ['$(…)', 'git push']],
  ['timeout 5 git push', ['timeout', 'git push']],
  ['sudo env A=b git push', ['sudo', 'env', 'git push']],
  ["eval 'git push'", ['eval', 'git push']],
  ['echo git push | bash', ['input of bash', 'git push']],
  ["alias p='git push'; p", ['alias p', 'git push']],
])('path of %s', (command, path) => {
  expect(boundaries(command)[0]?.path).toEqual(path);
});

describe('a parse error', () => {
  test('does not hide what stands before it', () => {
    expect(boundaries('git push\nif true; then')).toHaveLength(1);
  });

  test('with a release word is opaque and suspicious', () => {
    const found = read('echo "unterminated push');
    expect(found).toEqual([expect.objectContaining({ verdict: 'opaque', suspicious: true })]);
  });

  test('without one is nothing', () => {
    expect(read('echo "unterminated')).toEqual([]);
  });
});

describe('waivers', () => {
  test.each([
    'lanehold feature waive checkout --reason later',
    'npx lanehold feature waive checkout',
    'pnpm exec lanehold feature waive checkout',
    'node bin/lanehold.js feature waive checkout',
    'node ./node_modules/lanehold/bin/lanehold.js feature waive checkout',
    './bin/lanehold.js feature waive checkout',
    'cd x && lanehold --project . feature waive checkout',
    'sh -c "lanehold feature waive checkout"',
    'lanehold feature verify checkout --attest "looked at it"',
    'lanehold feature verify checkout --attest=yes',
  ])('%s', (command) => {
    expect(read(command).map((it) => it.verdict)).toEqual(['waiver']);
  });

  test.each([
    'lanehold feature verify checkout',
    'lanehold feature list',
    'lanehold feature waive --help',
    'echo lanehold feature waive checkout',
    'lanehold note add "feature waive"',
    'grep -r "lanehold feature waive" docs',
  ])('not %s', (command) => {
    expect(read(command)).toEqual([]);
  });
});

describe('commands that may run before a boundary', () => {
  test.each([
    ['a later turn of a loop', 'for f in a b; do git push; git commit -am x; done'],
    ['a loop that repeats until it succeeds', 'until git push; do git commit -am x; done'],
    ['what follows a background job', 'git push & git commit -am x'],
    ['what follows a coprocess', 'coproc git push; git commit -am x'],
    ['what follows a trap', "trap 'git push' EXIT; git commit -am x"],
    ['a trap of a nested shell', `sh -c "trap 'git push' EXIT; git commit -am x"`],
  ])('%s', (_name, command) => {
    const programs = boundaries(command)[0]?.before.map(({ argv }) => argv[1]);
    expect(programs).toContain('commit');
  });

  test('not those that follow in order', () => {
    expect(boundaries('while false; do :; done; git push; git commit')[0]?.before).toHaveLength(2);
  });
});

describe('past a bound the rest is opaque', () => {
  const many = (count: number, line: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => line(at)).join('\n');
  test.each([
    ['findings', many(80, (at) => `git push origin b${at}`)],
    ['commands', `${many(13_000, () => ':')}\nx=pu; git \${x}sh`],
    [
      'words of a loop',
      `for x in ${many(80, (at) => `a${at}`).replaceAll('\n', ' ')}; do $x push; done`,
    ],
    ['depth', many(30, () => 'eval').replaceAll('\n', ' ')],
  ])('%s', (_name, command) => {
    expect(read(command)).toContainEqual(
      expect.objectContaining({ verdict: 'opaque', suspicious: true }),
    );
  });
});
