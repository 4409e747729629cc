/** `feature verify --at`: a commit runs with what it needs. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../support/command.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

/** A package manager that writes down that it ran, and installs one library. */
const INSTALL = `#!/bin/sh
case "$1" in --version) echo 1; exit;; esac
echo "$PWD: $*" >> "$RUNS"
test ! -e fail || { echo "error: no such package" >&2; exit 9; }
mkdir -p node_modules/lib && echo installed > node_modules/lib/index.js
`;

const lockOf = (version: string): string =>
  JSON.stringify({
    packages: {
      '': { name: 'shop' },
      'packages/a': { name: 'a' },
      'node_modules/a': { link: true, resolved: 'packages/a' },
      'node_modules/lib': { version },
      'node_modules/for-windows': { version: '1.0.0', optional: true },
    },
  });

function project(box: Sandbox, smoke: readonly (string | object)[], more: object = {}) {
  const runs = join(box.root, 'runs');
  for (const name of ['npm', 'pnpm', 'node', 'python3']) {
    chmodSync(box.write(`bin/${name}`, INSTALL), 0o755);
  }
  const env = { PATH: `${join(box.root, 'bin')}:${box.env.PATH}`, RUNS: runs };
  const made = shop(box, { env });
  const { repo, write } = made;
  const cart = { files: ['src/cart/**'], smoke };
  write('lanehold.json', JSON.stringify({ features: { cart }, ...more }));
  write('.gitignore', 'node_modules/\n.venv/\n.env\n.worktreeinclude\n');
  write('package.json', '{"name":"shop"}');
  write('package-lock.json', lockOf('1.0.0'));
  write('packages/a/index.js', 'committed\n');
  made.commit('project');
  return {
    ...made,
    env,
    runs: () => (existsSync(runs) ? readFileSync(runs, 'utf8').trim().split('\n') : []),
    /** As `npm install` leaves it. */
    install(version = '1.0.0') {
      const installed = JSON.parse(lockOf(version));
      delete installed.packages['node_modules/for-windows'];
      write('node_modules/.package-lock.json', JSON.stringify(installed));
      write('node_modules/lib/index.js', `of the person ${version}\n`);
      write('node_modules/.cache/results', 'old\n');
      symlinkSync('../packages/a', join(repo, 'node_modules/a'));
      symlinkSync(join(repo, 'packages/a'), join(repo, 'node_modules/absolute'));
      symlinkSync('../../outside', join(repo, 'node_modules/outside'));
    },
    async at(revision: string, ...args: string[]) {
      const run = await made.lanehold(
        'feature',
        'verify',
        'cart',
        '--at',
        revision,
        '--json',
        ...args,
      );
      const [feature] = JSON.parse(run.stdout).features;
      return { ...run, feature, output: feature.runs?.[0]?.outputTail };
    },
  };
}

const SHOW = 'cat node_modules/lib/index.js node_modules/a/index.js node_modules/absolute/index.js';

describe('dependencies', () => {
  test('are copied from the working tree, and lead nowhere into it', async () => {
    const box = sandbox();
    box.write('outside', 'from outside\n');
    const it = project(box, [
      `${SHOW} node_modules/outside; ls -A node_modules; grep -c /lanehold-verify- node_modules/.bin/lib; echo changed > node_modules/lib/index.js`,
    ]);
    it.install();
    it.write('node_modules/.bin/lib', `#!/bin/sh\nNODE_PATH=${it.repo}/node_modules:\n`);
    it.write('packages/a/index.js', 'not committed\n');
    symlinkSync(join(it.repo, 'README.md'), join(it.repo, 'packages/a/link'));
    const { exitCode, output } = await it.at('HEAD');
    expect(output).toBe(
      'of the person 1.0.0\ncommitted\ncommitted\nfrom outside\n.bin\n.package-lock.json\na\nabsolute\nlib\noutside\n1\n',
    );
    expect(exitCode).toBe(0);
    expect(it.runs()).toEqual([]);
    expect(readlinkSync(join(it.repo, 'packages/a/link'))).toBe(join(it.repo, 'README.md'));
    expect(readFileSync(join(it.repo, 'node_modules/lib/index.js'), 'utf8')).toBe(
      'of the person 1.0.0\n',
    );
  });

  test('are installed for another lock file, once', async () => {
    const box = sandbox();
    const it = project(box, ['cat node_modules/lib/index.js']);
    it.install();
    it.git('checkout', '--quiet', '-b', 'next');
    it.change('package-lock.json', lockOf('2.0.0'));
    it.git('checkout', '--quiet', 'main');
    for (let times = 0; times < 2; times += 1) {
      expect((await it.at('next')).output).toBe('installed\n');
    }
    expect(it.runs()).toEqual([expect.stringMatching(/\/shop: ci --no-audit --no-fund$/)]);
    const cache = join(box.laneholdHome, 'cache/setup');
    expect(readdirSync(cache)).toHaveLength(1);
  });

  test.each([
    ['what is installed is of another lock file', { install: '1.2.0' }],
    ['nothing is installed', {}],
    ['the installation also builds the project', { install: '1.0.0', manifest: 'tsc' }],
  ])(
    'are installed if %s',
    async (_, { install, manifest }: { install?: string; manifest?: string }) => {
      const it = project(sandbox(), ['cat node_modules/lib/index.js']);
      if (manifest !== undefined) {
        it.change('package.json', JSON.stringify({ scripts: { prepare: manifest } }));
      }
      if (install !== undefined) it.install(install);
      expect((await it.at('HEAD')).output).toBe('installed\n');
      expect(it.runs()).toHaveLength(1);
    },
  );

  test('are copied from the main working tree into a checkout of a linked one', async () => {
    const box = sandbox();
    const it = project(box, ['cat node_modules/lib/index.js']);
    it.install();
    const linked = join(box.root, 'linked');
    it.git('worktree', 'add', '--quiet', '-b', 'next', linked);
    const argv = ['feature', 'verify', 'cart', '--at', 'HEAD', '--json'];
    const { stdout } = await command(box, linked, argv, { env: it.env });
    expect(JSON.parse(stdout).features[0].runs[0].outputTail).toBe('of the person 1.0.0\n');
  });

  test('that a link stands for are installed, and stay as they are', async () => {
    const box = sandbox();
    const it = project(box, ['cat node_modules/lib/index.js']);
    it.install();
    renameSync(join(it.repo, 'node_modules'), join(box.root, 'shared'));
    symlinkSync(join(box.root, 'shared'), join(it.repo, 'node_modules'));
    it.change('.gitignore', 'node_modules\n');
    expect((await it.at('HEAD')).output).toBe('installed\n');
    expect(existsSync(join(box.root, 'shared/.cache/results'))).toBe(true);
  });

  test('of Python are named by their new place', async () => {
    const box = sandbox();
    const it = project(box, [
      'cat .venv/pyvenv.cfg .venv/bin/pytest .venv/lib/python3/site-packages/x.pth; echo "$VIRTUAL_ENV"; pwd',
    ]);
    it.change('requirements.txt', 'pytest\n');
    utimesSync(join(it.repo, 'requirements.txt'), 1, 1);
    const venv = join(it.repo, '.venv');
    it.write('.venv/pyvenv.cfg', `command = venv ${venv}\n`);
    it.write('.venv/bin/pytest', `#!${venv}/bin/python\n`);
    it.write('.venv/lib/python3/site-packages/x.pth', `${it.repo}/src\n${it.repo}-other\n`);
    const argv = ['feature', 'verify', 'cart', '--at', 'HEAD', '--json'];
    const env = { ...it.env, VIRTUAL_ENV: venv };
    const { stdout } = await command(box, it.repo, argv, { env });
    const [{ outputTail }] = JSON.parse(stdout).features[0].runs;
    const root = outputTail.trim().split('\n').at(-1);
    expect(root).not.toBe(it.repo);
    expect(outputTail).toBe(
      `command = venv ${root}/.venv\n#!${root}/.venv/bin/python\n${root}/src\n${it.repo}-other\n${root}/.venv\n${root}\n`,
    );
  });

  test('that cannot be installed are no failed test', async () => {
    const it = project(sandbox(), ['true']);
    it.change('fail');
    const { exitCode, feature } = await it.at('HEAD');
    expect(exitCode).toBe(1);
    expect(feature).toMatchObject({
      result: 'could-not-run',
      because: 'setup-failed',
      why: '`npm ci --no-audit --no-fund` ended with exit code 9: error: no such package',
      failure: ['error: no such package'],
      hint: expect.stringContaining('"verify": { "setup": '),
    });
    expect(readFileSync(feature.outputFile, 'utf8')).toContain('no such package');
    const { stdout } = await it.lanehold('feature', 'verify', 'cart', '--at', 'HEAD');
    expect(stdout).toContain('  cart: could not run: `npm ci');
    const history = await it.lanehold('feature', 'history', 'cart', '--json');
    expect(JSON.parse(history.stdout).records).toEqual([]);
    expect(it.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  });
});

test.each<[string, object, string]>([
  ['one command', { setup: 'echo one > made' }, 'one\n'],
  ['several', { setup: ['echo one > made', 'echo two >> made'] }, 'one\ntwo\n'],
  ['none', { setup: [] }, ''],
])('the setup that lanehold.json names: %s', async (_, verify, output) => {
  const it = project(sandbox(), ['cat made 2>/dev/null || true'], { verify });
  expect((await it.at('HEAD')).output).toBe(output);
  expect(it.runs()).toEqual([]);
});

test('a setup that would release is refused', async () => {
  const it = project(sandbox(), ['true'], { verify: { setup: 'git push origin HEAD:other' } });
  const { feature } = await it.at('HEAD');
  expect(feature).toMatchObject({ result: 'could-not-run', because: 'releases' });
  expect(feature.why).toContain('its setup command `git push origin HEAD:other` would release');
  expect(it.git('ls-remote', '--heads', 'origin')).not.toContain('other');
});

test('submodules that are checked out come along, at the commit that is named', async () => {
  const box = sandbox();
  const library = box.repo('library');
  box.write('library/it.js', 'one\n');
  box.commit(library);
  const it = project(box, ['cat vendor/library/it.js'], { verify: { setup: [] } });
  const allowed = ['-c', 'protocol.file.allow=always'];
  it.git(...allowed, 'submodule', '--quiet', 'add', library, 'vendor/library');
  it.commit();
  it.write('vendor/library/it.js', 'two\n');
  expect((await it.at('HEAD')).output).toBe('one\n');
});

test('ignored files come along if .worktreeinclude names them; without it, those of the environment', async () => {
  const it = project(sandbox(), ['cat .env'], { verify: { setup: [] } });
  it.write('.env', 'MODE=own\n');
  expect((await it.at('HEAD')).output).toBe('MODE=own\n');
  it.write('.worktreeinclude', 'other\n');
  expect((await it.at('HEAD')).feature.result).toBe('failed');
  it.write('.env', 'MODE=test\n');
  it.write('.worktreeinclude', '.env\n');
  const left = mkdtempSync(join(tmpdir(), 'lanehold-verify-'));
  const recent = mkdtempSync(join(tmpdir(), 'lanehold-verify-'));
  utimesSync(left, 1, 1);
  expect((await it.at('HEAD')).output).toBe('MODE=test\n');
  // What a killed process left goes, and nothing that may be in use.
  expect([left, recent].map((folder) => existsSync(folder))).toEqual([false, true]);
  rmdirSync(recent);
});

test('a worktree of the user whose disk is away for a moment stays registered', async () => {
  const box = sandbox();
  const it = project(box, ['true']);
  const tree = join(box.root, 'usb');
  it.git('worktree', 'add', '--quiet', '--detach', tree);
  renameSync(tree, `${tree}-away`);
  expect((await it.at('HEAD')).exitCode).toBe(0);
  const registered = it.git('worktree', 'list', '--porcelain');
  expect(registered).toContain(`worktree ${tree}\n`);
  expect(registered.match(/^worktree /gm)).toHaveLength(2);
});

describe('what smoke tests run in', () => {
  test('another time limit is another run', async () => {
    const box = sandbox();
    const count = `echo run >> ${box.root}/count`;
    const features = {
      cart: { files: ['src/cart/**'], smoke: [{ command: count, timeout: '1m' }] },
      checkout: { files: ['src/checkout/**'], smoke: [{ command: count, timeout: '2m' }] },
    };
    await shop(box, { features }).verify('cart', 'checkout');
    expect(readFileSync(join(box.root, 'count'), 'utf8')).toBe('run\nrun\n');
  });

  test('a stub that an agent puts in front of PATH is left out, with what preloads code', async () => {
    const box = sandbox();
    const says =
      '#!/bin/sh\ntest "$1" != --version || exit 0\nPATH="$(echo $PATH | cut -d: -f2-)"\nexec git "$@"\n';
    chmodSync(box.write('stub/git', says), 0o755);
    const smoke = ['test -z "$NODE_OPTIONS$BASH_ENV" && git --version'];
    const { repo } = shop(box, { features: { cart: { files: ['src/cart/**'], smoke } } });
    const stub = join(box.root, 'stub');
    const argv = ['feature', 'verify', 'cart', '--json'];
    for (const [mark, output] of [
      [{ CLAUDECODE: '1' }, 'git version'],
      [{}, ''],
    ] as const) {
      const more = {
        NODE_OPTIONS: '--require /x.js',
        BASH_ENV: '/x',
        PATH: `${stub}:${box.env.PATH}`,
      };
      const { stdout } = await command(box, repo, argv, { env: { ...more, ...mark } });
      expect(JSON.parse(stdout).features[0].runs[0]).toMatchObject({
        exitCode: 0,
        outputTail: expect.stringMatching(new RegExp(`^${output}`)),
      });
    }
  });

  test('one that would release is refused', async () => {
    const box = sandbox();
    const ship = box.write('ship', '#!/bin/sh\n');
    chmodSync(ship, 0o755);
    const features = {
      cart: { files: ['src/cart/**'], smoke: ['true', 'npm test && git push origin main'] },
      // By its name it may be a test of a deployment.
      checkout: { files: ['src/checkout/**'], smoke: [`${ship} deploy`] },
    };
    const it = shop(box, { features });
    const { exitCode, stdout } = await it.lanehold(
      'feature',
      'verify',
      'cart',
      'checkout',
      '--json',
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).features).toMatchObject([
      { result: 'could-not-run', because: 'releases', why: expect.stringContaining('git push') },
      { result: 'passed' },
    ]);
  });

  test('where a filter makes the committed content another one, that one is tested', async () => {
    const box = sandbox();
    const smoke = ['cat src/cart/add.ts'];
    const it = shop(box, { features: { cart: { files: ['src/cart/**'], smoke } } });
    it.git('config', 'filter.swap.clean', 'sed s/good/broken/');
    it.write('.gitattributes', '*.ts filter=swap\n');
    writeFileSync(join(it.repo, 'src/cart/add.ts'), 'good\n');
    const outputs = async (): Promise<string> => {
      const { stdout } = await it.lanehold('feature', 'verify', 'cart', '--json');
      return JSON.parse(stdout).features[0].runs[0].outputTail;
    };
    expect(await outputs()).toBe('broken\n');
    it.git('config', 'filter.swap.smudge', 'sed s/broken/good/');
    expect(await outputs()).toBe('good\n');
    expect(it.git('worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  });
});
