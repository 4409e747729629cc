/**
 * Every command that a message names works when it is pasted: each situation is made, the commands are taken
 * out of what is said in it, and each is pasted into a real shell in the situation anew.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { commandsIn, filledIn } from '../support/commands-in.ts';
import { beforeCommand, sessionStart } from '../support/payloads.ts';
import { type Ran, runProgram } from '../support/program.ts';
import { installGitHook, push } from '../support/pushing.ts';
import { CLI_PROGRAM, type Sandbox, sandbox } from '../support/sandbox.ts';
import { type Features, type Shop, shop } from '../support/shop.ts';

interface Situation {
  readonly box: Sandbox;
  readonly it: Shop;
  readonly message: string;
}

interface Row {
  readonly name: string;
  readonly make: () => Promise<Situation>;
  /** What each command that is named does, in the order of the message. */
  readonly does: readonly ((pasted: Situation & { readonly ran: Ran }) => Promise<void> | void)[];
}

const NO_SMOKE = { cart: { files: ['src/cart/**'] } } satisfies Features;
const THREE = {
  components: { files: ['src/cart/**'], smoke: ['true'] },
  core: { files: ['src/cart/**'], smoke: ['true'] },
  lib: { files: ['src/cart/**'], smoke: ['true'] },
} satisfies Features;

function place(options: Parameters<typeof shop>[1] = {}) {
  const box = sandbox();
  const bin = join(box.root, 'bin');
  mkdirSync(bin);
  const file = box.write(
    join(bin, 'lanehold'),
    `#!/bin/sh\nexec '${process.execPath}' '${CLI_PROGRAM}' "$@"\n`,
  );
  chmodSync(file, 0o755);
  box.env.PATH = `${bin}:${box.env.PATH}`;
  return { box, it: shop(box, options) };
}

const paste = (box: Sandbox, cwd: string, text: string): Promise<Ran> =>
  runProgram('/bin/sh', ['-c', text], { cwd, env: box.env });

/** What is said to a command that an agent is about to run. */
const judged =
  (text: string, options: Parameters<typeof shop>[1], change: (it: Shop) => unknown) =>
  async (): Promise<Situation> => {
    const { box, it } = place(options);
    await change(it);
    const { reason } = await it.judge(text);
    return { box, it, message: reason };
  };

/** What git's hook says to a push. */
const pushed =
  (options: Parameters<typeof shop>[1], change: (it: Shop) => unknown) =>
  async (): Promise<Situation> => {
    const { box, it } = place(options);
    await installGitHook(box, it.repo);
    await change(it);
    const { stderr } = await push(box, it);
    return { box, it, message: stderr.replaceAll(/^error: .*$/gm, '') };
  };

/** What the program says to words that were typed. */
const said =
  (
    words: readonly string[],
    options: Parameters<typeof shop>[1] = {},
    change?: (it: Shop) => unknown,
  ) =>
  async (): Promise<Situation> => {
    const { box, it } = place(options);
    await change?.(it);
    const { stdout, stderr } = await command(box, it.repo, words);
    return { box, it, message: `${stdout}${stderr}` };
  };

const succeeds = ({ ran }: { readonly ran: Ran }): void =>
  expect(ran.exitCode, `${ran.stdout}${ran.stderr}`).toBe(0);
const pushes = (pasted: Situation & { readonly ran: Ran }): void => {
  succeeds(pasted);
  const { box, it } = pasted;
  expect(box.git(it.remote, 'rev-parse', 'main')).toBe(it.git('rev-parse', 'HEAD'));
};
const frees =
  (text = 'git push') =>
  async (pasted: Situation & { readonly ran: Ran }): Promise<void> => {
    succeeds(pasted);
    const { decision, reason } = await pasted.it.judge(text);
    expect(decision, reason).toBe('pass');
  };
/** The command does the first part; the message says what comes next. */
const freesOnceVerified = async (pasted: Situation & { readonly ran: Ran }): Promise<void> => {
  succeeds(pasted);
  pasted.it.commit('as the message says');
  await pasted.it.verify('--pending');
  await frees()(pasted);
};

const edit = (it: Shop) => it.change('src/cart/add.ts');

const DENIALS: readonly Row[] = [
  {
    name: 'never verified',
    make: judged('git push', {}, edit),
    does: [pushes, frees()],
  },
  {
    name: 'changed since',
    make: judged('git push', {}, async (it) => {
      edit(it);
      await it.verify('cart');
      it.change('src/cart/add.ts', 'again\n');
    }),
    does: [pushes, frees()],
  },
  {
    name: 'in a longer command',
    make: judged('sh -c "git push"', {}, edit),
    does: [frees('sh -c "git push"'), frees()],
  },
  {
    name: 'a publication',
    make: judged('npm publish', {}, () => undefined),
    does: [(it) => expect(it.ran.stdout).toContain('Verified'), frees('npm publish')],
  },
  {
    name: 'an untracked file lies there',
    make: judged('git push', {}, (it) => {
      edit(it);
      it.write('src/cart/new.ts', 'not added\n');
    }),
    does: [pushes, frees()],
  },
  {
    name: 'many files lie there',
    make: judged('git push', {}, (it) => {
      edit(it);
      for (let n = 0; n < 30; n += 1) it.write(`src/cart/${n}.ts`, 'not added\n');
    }),
    does: [pushes, frees()],
  },
  {
    name: 'another branch',
    make: judged('git push origin topic', {}, (it) => {
      it.git('switch', '--quiet', '--create', 'topic');
      edit(it);
      it.git('switch', '--quiet', 'main');
    }),
    does: [succeeds, frees('git push origin topic')],
  },
  {
    name: 'a commit in the same command',
    make: async () => {
      const { box, it } = place();
      it.write('src/cart/add.ts', 'two\n');
      it.write('src/cart/new.ts', 'two\n');
      const { reason } = await it.judge('git add src/cart/add.ts && git commit -m x && git push');
      return { box, it, message: reason };
    },
    does: [
      pushes,
      async ({ box, it, message }) => {
        it.git('commit', '--quiet', '--message', 'x', 'src/cart/add.ts');
        const [, waiver = ''] = commandsIn(message);
        const ran = await paste(box, it.repo, filledIn(waiver));
        await frees()({ box, it, message, ran });
      },
    ],
  },
  {
    name: 'an untracked file lies there that a test may need',
    make: judged('git push', {}, async (it) => {
      edit(it);
      it.write('scratch.js', 'x\n');
      await it.verify('cart');
    }),
    does: [pushes, frees()],
  },
  {
    name: 'without a smoke test',
    make: judged('git push', { features: NO_SMOKE }, edit),
    does: [freesOnceVerified, frees()],
  },
  {
    name: 'with and without a smoke test',
    make: judged(
      'git push',
      { features: { ...NO_SMOKE, core: { files: ['src/cart/**'], smoke: ['true'] } } },
      edit,
    ),
    does: [succeeds, freesOnceVerified, frees()],
  },
  {
    name: 'more features than fit',
    make: judged(
      'git push',
      {
        features: Object.fromEntries(
          Array.from({ length: 60 }, (_, at) => [
            `f-${at}`,
            { files: ['src/**'], smoke: ['true'] },
          ]),
        ),
      },
      edit,
    ),
    does: [pushes, frees()],
  },
  {
    name: 'files of no feature',
    make: judged('git push', { gate: { uncovered: 'hold' } }, (it) => it.change('other/x.ts')),
    does: [succeeds, freesOnceVerified, frees()],
  },
  {
    name: 'what cannot be read',
    make: judged('curl -fsSL https://example.org/x.sh | sh', {}, (it) =>
      it.write('src/cart/add.ts', 'two\n'),
    ),
    does: [
      async (pasted) => {
        succeeds(pasted);
        const { decision } = await pasted.it.judge('curl -fsSL https://example.org/x.sh | sh');
        expect(decision).toBe('none');
      },
    ],
  },
  {
    name: 'what cannot be told, with everything verified',
    make: judged('npm test && git commit -am x && git push', {}, async (it) => {
      edit(it);
      await it.verify('cart');
    }),
    does: [pushes, frees('npm test && git commit -am x && git push')],
  },
];

/** What the agent's own hook answers: it names this Node and this program, which need not be on PATH. */
const denied = async (): Promise<Situation> => {
  const { box, it } = place();
  edit(it);
  const { stdout } = await box.hook('before-tool', beforeCommand(it.repo, 'git push'));
  return { box, it, message: JSON.parse(stdout).hookSpecificOutput.permissionDecisionReason };
};

/** A push was held before; what the next session is told of it. */
const toldAtStart = async (): Promise<Situation> => {
  const { box, it } = place();
  await installGitHook(box, it.repo);
  edit(it);
  await push(box, it);
  const { stdout } = await box.hook('session-start', sessionStart(it.repo));
  return { box, it, message: JSON.parse(stdout).hookSpecificOutput.additionalContext };
};

const HOOKS: readonly Row[] = [
  { name: 'a push', make: denied, does: [pushes, frees()] },
  { name: 'a session that starts after a push was held', make: toldAtStart, does: [frees()] },
];

const GIT_HOOK: readonly Row[] = [
  { name: 'three features', make: pushed({ features: THREE }, edit), does: [frees(), frees()] },
  {
    name: 'without a smoke test',
    make: pushed({ features: NO_SMOKE }, edit),
    does: [freesOnceVerified, frees()],
  },
];

const IN_CI: readonly Row[] = [
  {
    name: 'the gate in CI',
    make: async () => {
      const { box, it } = place();
      edit(it);
      const { stdout } = await command(box, it.repo, ['gate', '--base', 'origin/main'], {
        env: { CI: 'true' },
      });
      return { box, it, message: stdout };
    },
    does: [
      async (pasted) => {
        succeeds(pasted);
        expect(pasted.it.git('ls-remote', 'origin', 'refs/notes/lanehold')).not.toBe('');
        await frees()(pasted);
      },
      frees(),
      frees(),
    ],
  },
];

const HINTS: readonly Row[] = [
  {
    name: 'verify of a feature without a smoke test',
    make: said(['feature', 'verify', 'cart'], { features: NO_SMOKE }, edit),
    does: [freesOnceVerified, frees()],
  },
  {
    name: 'pending',
    make: said(['feature', 'pending'], {}, edit),
    does: [frees()],
  },
  {
    name: 'verify where only what is committed is held',
    make: said(['feature', 'verify', '--pending'], {}, (it) => {
      edit(it);
      it.git('checkout', '--quiet', 'HEAD~1', '--', 'src/cart/add.ts');
    }),
    does: [frees()],
  },
  {
    name: 'a base that there is not',
    make: said(['gate', '--base', 'nope']),
    does: [succeeds, succeeds],
  },
  {
    name: 'a list without features',
    make: said(['feature', 'list'], { features: {} }),
    does: [succeeds],
  },
  {
    name: 'coverage without features',
    make: said(['feature', 'coverage'], { features: {} }),
    does: [succeeds],
  },
  {
    name: 'doctor without hooks',
    make: said(['git-hook', 'status']),
    does: [frees('git pull && git push')],
  },
  {
    name: 'features to share that are not named',
    make: said(['feature', 'share']),
    does: [succeeds],
  },
  {
    name: 'init where nothing runs tests',
    make: said(['init', '--agent', 'claude-code', '--yes'], { features: {} }),
    does: [succeeds, succeeds, succeeds],
  },
  {
    name: 'proposals',
    make: said(['feature', 'discover'], { features: {} }, (it) => {
      it.write('package.json', '{"type": "module", "scripts": {"test": "node --test"}}');
      it.write('src/cart/add.test.js', 'import "node:test";\n');
      it.commit();
    }),
    does: [({ ran }) => expect(ran.stdout).toContain('Added')],
  },
  {
    name: 'an installation, and its undoing',
    make: said(['install', '--agent', 'claude-code', '--yes']),
    does: [
      () => undefined,
      ({ box, it, ran }) => {
        succeeds({ ran });
        expect(box.git(it.repo, 'config', '--list')).not.toContain('hook.lanehold');
      },
      succeeds,
    ],
  },
];

describe.each([
  ['a denial', DENIALS],
  ['the hook of an agent', HOOKS],
  ['git’s hook', GIT_HOOK],
  ['CI', IN_CI],
  ['the program', HINTS],
] as const)('what %s names works: ', (_, rows) => {
  test.each(rows)('$name', async ({ make, does }) => {
    const { message } = await make();
    const commands = commandsIn(message);
    expect(commands, message).toHaveLength(does.length);
    for (const [at, works] of does.entries()) {
      const situation = at === 0 ? undefined : await make();
      const { box, it, message: text } = situation ?? (await make());
      const line = commandsIn(text)[at] ?? '';
      const ran = await paste(box, it.repo, filledIn(line));
      await works({ box, it, message: text, ran });
    }
  });
});

test('what leaves from another tree is verified there, by a line that is pasted here', async () => {
  const { box, it } = place();
  const [linked, away] = [join(box.root, 'linked'), box.repo('away')];
  it.git('worktree', 'add', '--quiet', '-b', 'topic', linked);
  const clone = (...args: string[]) => box.git(box.root, 'clone', '--quiet', ...args);
  clone('--bare', it.remote, 'bare.git');
  clone('--separate-git-dir=parted.git', it.remote, 'parted');
  const git = (...args: string[]) => box.git(box.root, ...args);
  git('--git-dir=bare.git', '--work-tree=bare', 'remote', 'set-url', 'origin', it.remote);
  mkdirSync(join(box.root, 'bare'));
  git('--git-dir=bare.git', '--work-tree=bare', 'checkout', '--quiet', 'main');
  const [parted, bare] = [join(box.root, 'parted'), join(box.root, 'bare')];
  const separate = ['--git-dir=../bare.git', '--work-tree=.'];
  const trees = [
    {
      ...{ tree: linked, options: [], cwd: it.repo },
      forms: [
        'git -C ../linked push origin topic',
        '(cd ../linked; git push origin HEAD:topic)',
        'pushd ../linked && git push origin topic && popd',
        'env -C ../linked git push origin topic',
        'git --git-dir=../linked/.git --work-tree=../linked push origin topic',
      ],
    },
    {
      ...{ tree: parted, options: [], cwd: away },
      forms: ['git --git-dir=../parted.git --work-tree=../parted push'],
    },
    {
      ...{ tree: bare, options: separate, cwd: away },
      forms: ['git --git-dir=../bare.git push origin main', 'git -C ../bare.git push origin main'],
    },
  ];
  for (const { tree, options, cwd, forms } of trees) {
    box.write(join(tree, 'src/cart/add.ts'), 'other\n');
    box.git(tree, ...options, 'commit', '--quiet', '--all', '--message', 'x');
    const lines = new Set<string | undefined>();
    for (const form of forms) lines.add(commandsIn((await it.judge(form, cwd)).reason)[0]);
    // Of `-C` the whole command is rewritten; of other forms the way there stands in front.
    expect(lines.size).toBeLessThanOrEqual(2);
    for (const line of lines) succeeds({ ran: await paste(box, cwd, line ?? 'false') });
    for (const form of forms) expect((await it.judge(form, cwd)).decision, form).toBe('pass');
  }
  await installGitHook(box, it.repo);
  box.write(join(linked, 'src/cart/add.ts'), 'last\n');
  box.git(linked, 'commit', '--quiet', '--all', '--message', 'x');
  const asAgent = { env: { CLAUDECODE: '1' } };
  const again = () => push(box, { repo: linked }, ['origin', 'topic'], asAgent);
  const held = await again();
  expect(held.verdict).toBe('held');
  succeeds({ ran: await paste(box, away, commandsIn(held.stderr)[0] ?? 'false') });
  expect((await again()).verdict).toBe('pushed');
});

test('a fix that is verified and not committed is told to be committed, and that is all', async () => {
  const { it } = place();
  edit(it);
  it.write('src/cart/add.ts', 'better\n');
  await it.verify('cart');
  const { reason } = await it.judge('git push');
  expect(reason).toContain('\nCommit src/cart/add.ts, then run the command again');
  expect(commandsIn(reason)).toHaveLength(1);
  it.commit();
  expect((await it.judge('git push')).decision).toBe('pass');
});

test.each([
  ['waive', '--reason', 'REASON'],
  ['verify', '--attest', '--notes', 'NOTES'],
])('a form that is pasted as it stands is refused, with what to fill in: %s', async (...words) => {
  const { it } = place({ features: NO_SMOKE });
  edit(it);
  const [name = '', ...options] = words;
  const { exitCode, stderr } = await it.lanehold('feature', name, 'cart', ...options);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^hint: --(?:reason|notes) 'what /m);
  expect((await it.judge('git push')).decision).toBe('deny');
});

test.each([
  ['lane', 'edit', 'api', '--validate', 'COMMAND'],
  ['lane', 'widen', 'api', '--touches', 'src/**', 'GLOB'],
  ['retry', 'api', '--notes', 'WHAT IS WRONG'],
  ['answer', 'api', 'ANSWER'],
])('words in capitals stand for those of a person: %s %s', async (...words) => {
  const { it } = place();
  const { exitCode, stderr } = await it.lanehold('orchestrate', ...words);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/ stands for what you mean\n/);
});

test('the examples of `feature add` make features that pass where Node itself runs the tests', async () => {
  const { box, it } = place({ features: {} });
  const files = {
    'package.json': '{"type": "module", "scripts": {"test": "node --test", "smoke": "true"}}',
    'src/cart/add.test.js': "import test from 'node:test';\ntest('adds', () => {});\n",
    Makefile: 'smoke:\n\ttrue\n',
  };
  for (const [path, text] of Object.entries(files)) it.write(path, text);
  it.commit();
  const { stdout: help } = await it.lanehold('feature', 'add', '--help');
  const [, examples = ''] = help.split('Examples:\n');
  const lines = examples.replaceAll(/\\\n\s*/g, '').split('\n');
  const commands = lines.map((line) => /^ *(lanehold .*?)(?: {2,}.*)?$/.exec(line)?.[1] ?? '');
  const shown = commands.filter((line) => line !== '');
  expect(shown.length).toBeGreaterThan(2);
  await it.lanehold('feature', 'add', 'api', '--files', 'src/checkout/**');
  for (const line of shown) succeeds({ ran: await paste(box, it.repo, line) });
  const names = shown.map((line) => line.split(' ')[3] ?? '');
  const { exitCode, stdout } = await it.lanehold('feature', 'verify', ...names);
  expect(exitCode, stdout).toBe(0);
});
