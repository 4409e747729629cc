/** What becomes evidence, and what does not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  truncateSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EvidenceRun } from '../../src/store/evidence.ts';
import { command } from '../support/command.ts';
import { inTime } from '../support/in-time.ts';
import { expectGone } from '../support/pids.ts';
import { CLI_PROGRAM, type Sandbox, sandbox } from '../support/sandbox.ts';
import { type Features, type Shop, shop } from '../support/shop.ts';
import { eventually } from '../support/until.ts';

interface Told {
  readonly kind: string;
  readonly at: string;
  readonly actor: string;
  readonly reason: string | null;
  readonly revision: string | null;
  readonly runs: readonly EvidenceRun[];
}

async function history({ lanehold }: Shop, feature = 'cart'): Promise<Told[]> {
  return JSON.parse((await lanehold('feature', 'history', feature, '--json')).stdout).records;
}

/** One feature, `cart`, with these smoke tests. */
function cartShop(box: Sandbox, ...smoke: (string | object)[]): Shop {
  return shop(box, { features: { cart: { files: ['src/cart/**'], smoke } } });
}

describe('the Python of a project', () => {
  const python = (box: Sandbox, folder: string) => {
    const file = box.write(`${folder}/bin/python3`, `#!/bin/sh\necho "by ${folder}"\n`);
    chmodSync(file, 0o755);
    box.write(`${folder}/pyvenv.cfg`, 'home = /usr/bin\n');
  };

  test.each([
    ['its own environment comes first', 'shop/.venv', {}, 'by shop/.venv\n'],
    ['whatever its folder is called', 'shop/venv', {}, 'by shop/venv\n'],
    ['but not before the one that is active', 'shop/.venv', { VIRTUAL_ENV: '/x' }, 'by active\n'],
  ])('%s', async (_, folder, active, said) => {
    const box = sandbox();
    const project = cartShop(box, 'python3 -m pytest');
    expect(project.repo).toBe(join(box.root, 'shop'));
    python(box, folder);
    python(box, 'active');
    const PATH = `${join(box.root, 'active/bin')}:${box.env.PATH}`;
    const env = { PATH, VIRTUAL_ENV: undefined, ...active };
    await command(box, project.repo, ['feature', 'verify', 'cart'], { env });
    const [record] = await history(project);
    expect(record?.runs[0]?.outputTail).toBe(said);
  });
});

describe('a run that passes', () => {
  test('is recorded with what ran, who ran it, on which commit, and what it said', async () => {
    const box = sandbox();
    const project = cartShop(box, 'echo out; echo err >&2', { command: 'pwd', cwd: 'src' });
    const run = await project.lanehold('feature', 'verify', 'cart');
    expect(run).toMatchObject({ exitCode: 0, stdout: 'Verified 1 of 1: cart\n' });
    expect(run.stderr).toContain('cart: echo out; echo err >&2 …\n');
    const [record, ...others] = await history(project);
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      kind: 'passed',
      actor: expect.stringMatching(/^(person|ci)/),
      revision: project.git('rev-parse', 'HEAD'),
      runs: [
        { command: 'echo out; echo err >&2', cwd: '', outcome: 'exited', exitCode: 0 },
        { command: 'pwd', cwd: 'src', exitCode: 0, outputTail: `${project.repo}/src\n` },
      ],
    });
    const [first] = record?.runs ?? [];
    expect(first?.outputTail).toBe('out\nerr\n');
    expect(first?.outputBytes).toBe(8);
    expect(readFileSync(first?.outputFile ?? '', 'utf8')).toBe('out\nerr\n');
  });

  test('names the agent and its session', async () => {
    const box = sandbox();
    const project = cartShop(box, 'true');
    const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'session-7' };
    await command(box, project.repo, ['feature', 'verify', 'cart'], { env });
    expect(await history(project)).toMatchObject([
      { actor: 'agent claude-code', session: 'session-7' },
    ]);
  });

  test('runs the same command once for all features that have it', async () => {
    const box = sandbox();
    const tests = [`echo run >> ${box.root}/runs.txt`];
    const project = shop(box, {
      features: {
        cart: { files: ['src/cart/**'], smoke: tests },
        checkout: { files: ['src/checkout/**'], smoke: [...tests, 'true'] },
        elsewhere: { files: ['README.md'], smoke: [{ command: tests[0], cwd: 'src' }] },
      },
    });
    const { stderr } = await project.lanehold('feature', 'verify', 'cart', 'checkout', 'elsewhere');
    expect(readFileSync(join(box.root, 'runs.txt'), 'utf8')).toBe('run\nrun\n');
    expect(stderr).toContain('the same run as before');
    expect(await history(project, 'checkout')).toMatchObject([{ kind: 'passed' }]);
  });

  describe('of the whole suite', () => {
    /** Its runner counts its starts, and fails on a file with `broken` in it. */
    async function suiteShop() {
      const box = sandbox();
      const starts = join(box.root, 'starts.txt');
      const smoke = (...words: string[]) => [['vitest', 'run', ...words].join(' ')];
      const project = shop(box, {
        env: { PATH: `${box.root}/bin:${process.env.PATH}` },
        features: {
          cart: { files: ['src/cart/**'], smoke: smoke('test/cart') },
          checkout: { files: ['src/checkout/**'], smoke: smoke('test/checkout') },
          rest: { rest: true, smoke: smoke() },
        },
      });
      box.write(
        join(box.root, 'bin/vitest'),
        `#!/bin/sh
echo "$*" >> ${starts}
for it in cart checkout; do
  case "$2" in ''|*$it*) ;; *) continue ;; esac
  if grep -qr broken src/$it; then echo " ❯ test/$it/a.test.ts (1 test | 1 failed)"; failed=1
  else echo " ✓ test/$it/a.test.ts (1 test) 2ms"; fi
done
echo; echo " Test Files  2 passed (2)"
test -z "$failed"
`,
      );
      chmodSync(join(box.root, 'bin/vitest'), 0o755);
      for (const it of ['cart', 'checkout']) project.change(`test/${it}/a.test.ts`);
      const ran = () => readFileSync(starts, 'utf8').trim().split('\n');
      return { ...project, ran };
    }

    test('counts for all features whose tests are in it', async () => {
      const project = await suiteShop();
      const { exitCode, stdout } = await project.lanehold(
        'feature',
        'verify',
        'cart',
        'checkout',
        'rest',
      );
      expect({ exitCode, ran: project.ran() }).toEqual({ exitCode: 0, ran: ['run'] });
      expect(stdout).toBe('Verified 3 of 3: rest, cart, checkout\n');
      expect(await history(project)).toMatchObject([
        {
          kind: 'passed',
          runs: [
            {
              command: 'vitest run test/cart',
              detail: 'passed as a part of `vitest run`',
              exitCode: 0,
            },
          ],
        },
      ]);
    });

    test('that fails says nothing of them: each runs by itself', async () => {
      const project = await suiteShop();
      project.change('src/cart/add.ts', 'broken');
      const { exitCode } = await project.lanehold('feature', 'verify', 'cart', 'checkout', 'rest');
      expect(exitCode).toBe(1);
      expect(project.ran()).toEqual(['run', 'run test/cart', 'run test/checkout']);
      expect(await history(project, 'checkout')).toMatchObject([{ kind: 'passed' }]);
      expect(await history(project, 'cart')).toMatchObject([{ kind: 'failed' }]);
    });

    test('is not run where nobody asks for the rest', async () => {
      const project = await suiteShop();
      await project.lanehold('feature', 'verify', 'cart', 'checkout');
      expect(project.ran()).toEqual(['run test/cart', 'run test/checkout']);
    });
  });

  test('does not see the repository that a hook of git works on', async () => {
    const box = sandbox();
    const project = cartShop(box, 'test -z "$GIT_DIR$GIT_INDEX_FILE$GIT_WORK_TREE"');
    const env = { GIT_DIR: '.git', GIT_INDEX_FILE: '/tmp/x', GIT_WORK_TREE: '/tmp' };
    const argv = ['feature', 'verify', 'cart'];
    expect((await command(box, project.repo, argv, { env })).exitCode).toBe(0);
  });
});

describe('a run without a test', () => {
  test.each([
    ['passes', `printf 'ok  \\tshop\\t0.1s [no tests to run]\\n'`],
    ['fails for that reason', `echo 'No test files found, exiting with code 1'; exit 1`],
  ])('that %s is no evidence', async (_, smoke) => {
    const project = cartShop(sandbox(), 'true', smoke);
    const { exitCode, stdout, stderr } = await project.lanehold('feature', 'verify', 'cart');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(' ran no test (');
    expect(stdout).toMatch(/^Not verified: 1 of 1\n {2}cart: `.*` ran no test\n/);
    expect(await history(project)).toEqual([]);
  });

  test.each([
    ['does more than that', `printf '?   \\tshop\\t[no test files]\\n' && sh e2e.sh`],
    ['does more in a script', 'sh all.sh'],
  ])('that %s has passed', async (_, smoke) => {
    const project = cartShop(sandbox(), smoke);
    project.write('all.sh', `printf '0 passing\\n' | sed 's/^/  /'\nsh e2e.sh\n`);
    project.change('e2e.sh', 'test -f src/cart/add.ts\n');
    expect((await project.lanehold('feature', 'verify', 'cart')).exitCode).toBe(0);
    expect(await history(project)).toMatchObject([{ kind: 'passed' }]);
  });

  test.each([
    ['another test fails', ['echo "0 passing"; true', 'false']],
    ['its test file is broken', [`printf '      Tests  no tests\\n'; exit 1`]],
  ])('has failed where %s', async (_, smoke) => {
    const project = cartShop(sandbox(), ...smoke);
    expect((await project.lanehold('feature', 'verify', 'cart')).exitCode).toBe(1);
    expect(await history(project)).toMatchObject([{ kind: 'failed' }]);
  });
});

test('several features of a folder without git are verified, with what is left of it', async () => {
  const box = sandbox();
  const folder = join(box.root, 'plain');
  const features = {
    cart: { files: ['src/cart/**'], smoke: ['mkdir -p tmp && echo x > tmp/x && rm -r tmp'] },
    // What a script imports by the name of a file may be meant as a folder, too.
    checkout: { files: ['src/checkout/**'], smoke: ['npm run --silent pay'] },
    rest: { rest: true, smoke: ['test -f data.json', 'false'] },
  };
  box.write(join(folder, 'lanehold.json'), JSON.stringify({ features }));
  box.write(join(folder, 'package.json'), '{"scripts": {"pay": "node src/checkout/pay.mjs"}}');
  box.write(join(folder, 'src/checkout/pay.mjs'), "import '../cart/add.mjs';\n");
  for (const file of ['src/cart/add.mjs', 'data.json']) box.write(join(folder, file), '1\n');
  const names = ['cart', 'checkout', 'rest'];
  const run = await command(box, folder, ['feature', 'verify', ...names, '--json']);
  const results = JSON.parse(run.stdout).features.map((it: { result: string }) => it.result);
  expect({ exitCode: run.exitCode, results }).toEqual({
    exitCode: 1,
    results: ['passed', 'passed', 'failed'],
  });
});

describe('a run that fails', () => {
  test('is recorded, shown with the end of its output, and stops nobody else', async () => {
    const project = shop(sandbox(), {
      features: {
        cart: { files: ['src/cart/**'], smoke: ['seq 1 50; exit 7', 'echo more'] },
        checkout: { files: ['src/checkout/**'], smoke: ['true'] },
      },
    });
    const run = await project.lanehold('feature', 'verify', 'cart', 'checkout');
    expect(run.exitCode).toBe(1);
    expect(run.stdout).toMatch(/^Not verified: 1 of 2\n {2}cart: `seq 1 50; exit 7`: exit code 7/);
    expect(run.stderr).toContain('\n  50\n  (all of it: ');
    expect(run.stderr).not.toContain('\n  20\n');
    expect(await history(project)).toMatchObject([{ kind: 'failed', runs: [{ exitCode: 7 }, {}] }]);
    expect(await history(project, 'checkout')).toMatchObject([{ kind: 'passed' }]);
  });

  test.each([
    [{ command: 'true', cwd: 'gone' }, { outcome: 'not-started' }, 'there is no folder'],
    [{ command: 'sleep 600', timeout: '1s' }, { outcome: 'timed-out' }, 'stopped after'],
    ['kill -9 $$', { outcome: 'killed', detail: 'SIGKILL' }, 'SIGKILL'],
  ])('%j', async (smoke, run, words) => {
    const project = cartShop(sandbox(), smoke);
    const { exitCode, stderr } = await project.lanehold('feature', 'verify', 'cart');
    expect(exitCode).toBe(1);
    expect(stderr).toContain(words);
    expect(await history(project)).toMatchObject([{ kind: 'failed', runs: [run] }]);
  });

  test.each([
    ['no-such-program --all', 'no-such-program'],
    ['sh -c "exec no-such-program"', 'no-such-program'],
    ['echo "/usr/bin/python3: No module named pytest" >&2; exit 1', 'pytest'],
    [
      'echo "npm error npx canceled due to missing packages and no YES option: [\\"vitest@5.1.1\\"]"; exit 1',
      'vitest',
    ],
    [
      'echo \' ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL  Command "vitest" not found\'; exit 254',
      'vitest',
    ],
  ])('could not run without its runner, which is no result: %s', async (smoke, program) => {
    const project = cartShop(sandbox(), smoke);
    const { exitCode, stdout, stderr } = await project.lanehold('feature', 'verify', 'cart');
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`could not run: \`${smoke}\`: ${program} is not installed here`);
    expect(stdout).toContain('hint: install it, then verify again');
    expect(stderr).toContain('all of it: ');
    expect(await history(project)).toEqual([]);
  });

  test('of a missing program it says once where all of its output is', async () => {
    const project = cartShop(sandbox(), 'no-such-program');
    const { stdout, stderr } = await project.lanehold('feature', 'verify', 'cart');
    expect(`${stdout}${stderr}`.match(/all of it: /g)).toHaveLength(1);
  });

  test('leaves nothing running: not after a time limit, not what ignores the polite signal', async () => {
    const pid = await inTime(
      async (timeMs) => {
        const box = sandbox();
        const file = box.write('pid', '');
        const background = `(trap "" TERM; exec sleep 600) & echo $! > ${file}`;
        const timeout = `${timeMs / 1000}s`;
        const project = cartShop(box, { command: `${background}; sleep 600`, timeout });
        expect((await project.lanehold('feature', 'verify', 'cart')).exitCode).toBe(1);
        const started = readFileSync(file, 'utf8');
        return started !== '' && Number(started);
      },
      [1_000, 30_000],
    );
    await expectGone(pid);
  });

  test('nor does one that passes', async () => {
    const box = sandbox();
    const project = cartShop(box, `sleep 600 & echo $! > ${box.root}/pid`);
    expect((await project.lanehold('feature', 'verify', 'cart')).exitCode).toBe(0);
    await expectGone(Number(readFileSync(join(box.root, 'pid'), 'utf8')));
  });

  test('Ctrl-C ends the whole group and records nothing', async () => {
    const box = sandbox();
    const pidFile = join(box.root, 'pid');
    const project = cartShop(box, `sleep 600 & echo $! > ${pidFile}; wait`, 'true');
    const child = spawn(process.execPath, [CLI_PROGRAM, 'feature', 'verify', 'cart'], {
      cwd: project.repo,
      env: box.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    const closed = once(child, 'close');
    const pid = await eventually(() => {
      const text = existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '';
      expect(text).toMatch(/^\d+\n$/);
      return Number(text);
    });
    child.kill('SIGINT');
    expect(await closed).toEqual([130, null]);
    expect(stdout).toContain('cart: interrupted, nothing recorded');
    await expectGone(pid);
    expect(await history(project)).toEqual([]);
  });
});

describe('the output', () => {
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

  test('is kept without secrets, in the evidence and on disk', async () => {
    const box = sandbox();
    const file = box.write('env', `token ${secret}\n`);
    const project = cartShop(box, `cat ${file}; exit 1`);
    const { stdout, stderr } = await project.lanehold('feature', 'verify', 'cart');
    const [record] = await history(project);
    const [run] = record?.runs ?? [];
    const told = [stdout, stderr, run?.outputTail, readFileSync(run?.outputFile ?? '', 'utf8')];
    for (const text of told) expect(text).not.toContain(secret);
    expect(run?.outputTail).toContain('token ');
  });

  test('nor is a secret in the command', async () => {
    const project = cartShop(sandbox(), `true --token ${secret}`);
    await project.verify('cart');
    expect(JSON.stringify(await history(project))).not.toContain(secret);
  });

  test('that is no text is kept all the same, and cannot command a terminal', async () => {
    const project = cartShop(sandbox(), "printf '\\033[2J\\377\\000end\\n'; exit 1");
    const { stderr } = await project.lanehold('feature', 'verify', 'cart');
    expect(stderr).toContain('\ufffd\\x00end\n');
    expect(stderr).not.toContain('\u001b');
  });

  test('is deleted after thirty days, or if all of them are too large', async () => {
    const box = sandbox();
    const project = cartShop(box, 'echo new');
    const write = (name: string, bytes: number, daysAgo: number): string => {
      const file = box.write(join(box.laneholdHome, 'runs', name), '');
      truncateSync(file, bytes);
      const at = new Date(Date.now() - daysAgo * 24 * 60 * 60 * 1_000);
      utimesSync(file, at, at);
      return file;
    };
    const [old, kept, foreign] = [write('a.log', 1, 31), write('b.log', 1, 29), write('c', 1, 99)];
    const [large, larger] = [2, 3].map((n) => write(`d${n}.log`, 300 * 1024 * 1024, 29 + n / 10));
    await project.lanehold('feature', 'verify', 'cart');
    const left = [old, kept, foreign, large, larger].map((it) => existsSync(it ?? ''));
    expect(left).toEqual([false, true, true, true, false]);
  });

  test('that is long is kept whole on disk and as its end in the evidence', async () => {
    const project = cartShop(sandbox(), 'seq 1 20000');
    await project.lanehold('feature', 'verify', 'cart');
    const [record] = await history(project);
    const [run] = record?.runs ?? [];
    expect(readFileSync(run?.outputFile ?? '', 'utf8').split('\n')).toHaveLength(20_001);
    expect(run?.outputTail).toMatch(/\n20000\n$/);
    expect(run?.outputTail.length).toBeLessThan(5000);
  });
});

describe('content that changes while its tests run', () => {
  test.each([
    ['is changed', 'echo two > src/cart/add.ts', 'src/cart/add.ts'],
    ['gets a new file', 'echo new > src/cart/new.ts', 'src/cart/new.ts'],
    ['loses a file', 'rm src/cart/add.ts', 'src/cart/add.ts'],
    ['gets another mode', 'chmod +x src/cart/add.ts', 'src/cart/add.ts'],
    [
      'is changed and changed back',
      'cat src/cart/add.ts > ../kept; echo two > src/cart/add.ts; cat ../kept > src/cart/add.ts',
      'src/cart/add.ts',
    ],
    [
      'is put aside and back',
      'mv src/cart/add.ts ../kept; echo two > src/cart/add.ts; rm src/cart/add.ts; mv ../kept src/cart/add.ts',
      'src/cart/add.ts',
    ],
    [
      'is changed back with its old time',
      'cp -p src/cart/add.ts ../kept; echo two > src/cart/add.ts; cp -p ../kept src/cart/add.ts',
      'src/cart/add.ts',
    ],
  ])('%s: no evidence', async (_, smoke, file) => {
    const project = cartShop(sandbox(), smoke);
    const { exitCode, stdout } = await project.lanehold('feature', 'verify', 'cart');
    expect(exitCode).toBe(1);
    expect(stdout).toContain(`changed while its tests ran, which proves nothing: ${file}`);
    expect(await history(project)).toEqual([]);
  });

  test('what the feature does not consist of may change', async () => {
    const project = cartShop(sandbox(), 'echo two > README.md; echo > src/checkout/new.ts');
    expect((await project.lanehold('feature', 'verify', 'cart')).exitCode).toBe(0);
  });

  test('a shared run proves nothing for a feature that changed while it ran', async () => {
    const smoke = [
      'cat src/checkout/pay.ts > ../kept; echo two > src/checkout/pay.ts; cat ../kept > src/checkout/pay.ts',
    ];
    const features: Features = {
      cart: { files: ['src/cart/**'], smoke },
      checkout: { files: ['src/checkout/**'], smoke },
    };
    const project = shop(sandbox(), { features });
    const { exitCode, stdout } = await project.lanehold('feature', 'verify', 'cart', 'checkout');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('checkout: changed while its tests ran');
    expect(await history(project, 'cart')).toMatchObject([{ kind: 'passed' }]);
    expect(await history(project, 'checkout')).toEqual([]);
  });
});

describe('--at', () => {
  test('runs in a worktree of that revision, which is gone afterwards', async () => {
    const box = sandbox();
    const tests = `pwd > ${box.root}/where; cat src/cart/add.ts > ${box.root}/what`;
    const project = cartShop(box, tests);
    const oid = project.change('src/cart/add.ts', 'committed\n');
    project.write('src/cart/add.ts', 'not committed\n');
    project.write('src/cart/new.ts', 'not committed\n');
    await project.verify('cart', '--at', 'main');
    expect(readFileSync(join(box.root, 'what'), 'utf8')).toBe('committed\n');
    const where = readFileSync(join(box.root, 'where'), 'utf8').trim();
    expect(where).not.toBe(project.repo);
    expect(existsSync(where)).toBe(false);
    expect(project.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
    expect(await history(project)).toMatchObject([{ kind: 'passed', revision: oid }]);
    expect((await project.judge('git push')).decision).toBe('pass');
    expect(project.git('status', '--porcelain')).toBe(' M src/cart/add.ts\n?? src/cart/new.ts');
  });

  test('is gone after a failure, too, and no hook of the repository ran for it', async () => {
    const box = sandbox();
    const project = cartShop(box, `pwd > ${box.root}/where; exit 1`);
    const hook = box.write(
      join(project.repo, '.git/hooks/post-checkout'),
      `#!/bin/sh\ntouch ${box.root}/hook-ran\n`,
    );
    const { chmodSync } = await import('node:fs');
    chmodSync(hook, 0o755);
    expect((await project.lanehold('feature', 'verify', 'cart', '--at', 'HEAD')).exitCode).toBe(1);
    expect(existsSync(readFileSync(join(box.root, 'where'), 'utf8').trim())).toBe(false);
    expect(project.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
    expect(existsSync(join(box.root, 'hook-ran'))).toBe(false);
    expect(readdirSync(join(project.repo, '.git'))).not.toContain('worktrees');
  });

  test('goes by the features as that revision defines them', async () => {
    const project = cartShop(sandbox(), 'false');
    project.register({ cart: { files: ['src/cart/**'], smoke: ['true'] } });
    expect((await project.lanehold('feature', 'verify', 'cart', '--at', 'HEAD')).exitCode).toBe(1);
    project.commit('register');
    await project.verify('cart', '--at', 'HEAD');
    project.register({});
    await project.verify('cart', '--at', 'HEAD');
  });
});
