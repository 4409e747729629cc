/** The commands about features: what they say, and what they answer to what cannot be. */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../../../support/command.ts';
import { beforeCommand } from '../../../support/payloads.ts';
import { sandbox } from '../../../support/sandbox.ts';
import { type Features, shop } from '../../../support/shop.ts';

const NO_HOOKS = 'No hook is installed here, so nothing is stopped: run `lanehold install`';

describe('list', () => {
  test('one line for each feature, the verdict first', async () => {
    const { lanehold, verify, register } = shop(sandbox());
    register({
      cart: { files: ['src/cart/**'], smoke: ['true'] },
      checkout: { files: ['src/checkout/**'], smoke: ['false'] },
      docs: { files: ['*.md'] },
    });
    await lanehold('feature', 'add', 'mine', '--files', 'lib/**', '--smoke', 'npm test');
    await verify('cart');
    await lanehold('feature', 'verify', 'checkout');
    expect(await lanehold('feature', 'list')).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: [
        '4 features, 1 verified as they are now',
        'cart      verified just now  1 file   shared  true',
        'checkout  failed just now    1 file   shared  false',
        'docs      not verified       1 file   shared  (no smoke test)',
        'mine      not verified       0 files  local   npm test',
        '',
      ].join('\n'),
    });
  });

  test('who vouched for one has not verified it, and files of others are counted apart', async () => {
    const { lanehold, register } = shop(sandbox());
    register({
      cart: { files: ['src/cart/**'], smoke: ['true'], dependsOn: ['checkout'] },
      checkout: { files: ['src/checkout/**'], smoke: ['true'] },
    });
    await lanehold('feature', 'verify', 'checkout');
    await lanehold('feature', 'waive', 'cart', '--reason', 'later');
    const { stdout } = await lanehold('feature', 'list');
    expect(stdout).toMatch(/^2 features, 1 verified as they are now, 1 waived\n/);
    expect(stdout).toMatch(/^cart +waived just now +1 file +shared/m);
    expect(stdout).toMatch(/^checkout +verified just now +1 file +shared/m);
    expect((await lanehold('feature', 'show', 'cart')).stdout).toContain(
      'content      1 file, 2 with dependencies\n',
    );
  });

  test('without features it says how to begin', async () => {
    const { lanehold } = shop(sandbox(), { features: {} });
    expect(await lanehold('feature', 'list')).toMatchObject({
      exitCode: 0,
      stdout: 'No features yet\nhint: `lanehold feature discover` looks for some\n',
    });
    expect(JSON.parse((await lanehold('feature', 'list', '--json')).stdout)).toEqual({
      features: [],
    });
  });
});

describe('show', () => {
  test('says what a feature is and why it is held', async () => {
    const features: Features = {
      cart: {
        files: ['src/cart/**', '!**/*.md'],
        smoke: [{ command: 'npm test', timeout: '90s', cwd: 'src' }],
        dependsOn: ['tax'],
        description: 'takes goods',
      },
      tax: { files: ['src/tax.ts'] },
    };
    const { lanehold } = shop(sandbox(), { features });
    expect((await lanehold('feature', 'show', 'cart')).stdout).toBe(
      [
        'cart: not verified: never verified',
        'about        takes goods',
        'files        src/cart/**  !**/*.md',
        'smoke test   npm test in src (at most 90 s)',
        'depends on   tax',
        'registered   in lanehold.json',
        'content      1 file',
        '',
      ].join('\n'),
    );
    const { stdout } = await lanehold('feature', 'show', 'cart', '--verbose');
    expect(stdout).toMatch(/^fingerprint {2}[0-9a-f]{64}\n {2}src\/cart\/add\.ts$/m);
  });
});

describe('pending', () => {
  test('exits with 3 while something is, and names why', async () => {
    const { lanehold, write, verify } = shop(sandbox());
    expect(await lanehold('feature', 'pending')).toMatchObject({
      exitCode: 0,
      stdout: 'Nothing pending\n',
    });
    write('src/cart/add.ts', 'two\n');
    expect(await lanehold('feature', 'pending')).toMatchObject({
      exitCode: 3,
      stdout: '1 pending\n  cart: never verified\nhint: run `lanehold feature verify --pending`\n',
    });
    expect((await lanehold('feature', 'pending', '--head', 'HEAD')).exitCode).toBe(0);
    await verify('--pending');
    expect((await lanehold('feature', 'pending')).exitCode).toBe(0);
    expect((await lanehold('feature', 'verify', '--pending')).stdout).toBe('Nothing pending\n');
  });
});

describe('status', () => {
  test('where there is no feature it says how to begin, and so does doctor', async () => {
    const { lanehold, repo } = shop(sandbox(), { features: {} });
    const way = 'run `lanehold feature discover`';
    expect((await lanehold('status')).stdout).toContain(`No features in ${repo}, `);
    expect((await lanehold('status')).stdout).toContain(way);
    const { stdout } = await lanehold('doctor');
    expect(stdout).toContain('this project has no features, so nothing of it is held');
    expect(stdout).toContain(way);
    expect((await shop(sandbox()).lanehold('doctor')).stdout).not.toContain('no features');
  });

  test('says what is held, by which definition, and what the gate answered last', async () => {
    const box = sandbox();
    const { lanehold, write, register, repo } = shop(box);
    expect((await lanehold('status')).stdout).toBe(
      `${NO_HOOKS}\nNothing held\n2 features in ${repo}\n`,
    );
    register({ cart: { files: ['src/cart/**'], smoke: ['echo'] } });
    write('src/cart/add.ts', 'two\n');
    await box.hook('before-tool', beforeCommand(repo, 'git push origin HEAD'));
    expect((await lanehold('status')).stdout).toBe(
      [
        NO_HOOKS,
        'Nothing held',
        'Not committed, held once it is: 2',
        '  cart: never verified',
        '  cart (as defined before this change): never verified',
        `1 feature in ${repo}`,
        '  just now: pass git push origin HEAD (claude-code)',
        '',
      ].join('\n'),
    );
  });
});

describe('add', () => {
  test('registers on this machine, and with --shared for all', async () => {
    const { lanehold, repo } = shop(sandbox());
    const args = ['--files', 'src/**', '--smoke', 'npm test', '--depends-on', 'cart'];
    expect((await lanehold('feature', 'add', 'mine', ...args)).stdout).toBe(
      'Added feature mine: 2 files, 1 smoke test (this machine only; `--shared` writes lanehold.json)\n',
    );
    const file = join(repo, 'lanehold.json');
    expect(readFileSync(file, 'utf8')).not.toContain('mine');
    const more = ['--description', 'all', '--timeout', '5m', '--cwd', 'src', '--shared'];
    const { stdout } = await lanehold('feature', 'add', 'ours', ...args, ...more);
    expect(stdout).toBe(
      'Added feature ours: 2 files, 1 smoke test (lanehold.json)\nhint: commit lanehold.json\n',
    );
    expect(JSON.parse(readFileSync(file, 'utf8')).features.ours).toEqual({
      description: 'all',
      files: ['src/**'],
      smoke: [{ command: 'npm test', timeout: '5m', cwd: 'src' }],
      dependsOn: ['cart'],
    });
  });

  test('warns of patterns that match nothing, and of a missing smoke test', async () => {
    const { lanehold } = shop(sandbox());
    const { exitCode, stdout } = await lanehold('feature', 'add', 'x', '--files', 'nothing/**');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('warning: its patterns match no file yet\n');
    expect(stdout).toContain('warning: without a smoke test it can only be attested\n');
  });

  test('tells of each pattern that matches nothing, and of a folder without `/**`', async () => {
    const { lanehold } = shop(sandbox());
    const files = ['--files', 'src/crat/**', 'src/cart', 'src/checkout/**', '--smoke', 'true'];
    expect((await lanehold('feature', 'add', 'x', ...files)).stdout).toBe(
      [
        'Added feature x: 1 file, 1 smoke test (this machine only; `--shared` writes lanehold.json)',
        'warning: `src/crat/**` matches no file yet',
        'warning: `src/cart` is a folder: write `src/cart/**`',
        '',
      ].join('\n'),
    );
  });

  test('--replace takes a time limit and a folder for the commands that stay', async () => {
    const { lanehold, repo } = shop(sandbox());
    const smoke = () => JSON.parse(readFileSync(join(repo, 'lanehold.json'), 'utf8')).features.cart;
    const replace = (...more: string[]) => lanehold('feature', 'add', 'cart', '--replace', ...more);
    await replace('--timeout', '5m', '--cwd', './src/');
    expect(smoke().smoke).toEqual([{ command: 'true', timeout: '5m', cwd: 'src' }]);
    await replace('--smoke', 'test -d cart', 'true', '--timeout', '1m');
    const kept = { timeout: '1m', cwd: 'src' };
    expect(smoke().smoke).toEqual([
      { command: 'test -d cart', ...kept },
      { command: 'true', ...kept },
    ]);
  });

  test('replaces only when told to, and what is given only', async () => {
    const { lanehold, repo } = shop(sandbox());
    const again = await lanehold('feature', 'add', 'cart', '--files', 'src/**');
    expect(again.exitCode).toBe(2);
    expect(again.stderr).toContain('hint: add `--replace` to change it');
    await lanehold('feature', 'add', 'cart', '--replace', '--description', 'goods');
    expect(JSON.parse(readFileSync(join(repo, 'lanehold.json'), 'utf8')).features.cart).toEqual({
      files: ['src/cart/**'],
      smoke: ['true'],
      description: 'goods',
    });
  });
});

describe('remove', () => {
  test('takes a shared feature out of the file, a private one from this machine', async () => {
    const { lanehold, repo } = shop(sandbox());
    await lanehold('feature', 'add', 'mine', '--files', 'lib/**');
    expect((await lanehold('feature', 'remove', 'mine')).stdout).toBe(
      'Removed feature mine from this machine\n',
    );
    expect((await lanehold('feature', 'remove', 'cart')).stdout).toBe(
      'Removed feature cart from lanehold.json\n',
    );
    const file = readFileSync(join(repo, 'lanehold.json'), 'utf8');
    expect(Object.keys(JSON.parse(file).features)).toEqual(['checkout']);
  });

  test('is refused while a shared feature is held, and its evidence outlives it', async () => {
    const { lanehold, write, verify } = shop(sandbox());
    write('src/cart/add.ts', 'two\n');
    const refused = await lanehold('feature', 'remove', 'cart');
    expect(refused.exitCode).toBe(3);
    expect(refused.stderr).toContain('`cart` is not verified; removing it would lift its hold');
    await verify('cart');
    expect((await lanehold('feature', 'remove', 'cart')).exitCode).toBe(0);
    expect((await lanehold('feature', 'history', 'cart')).stdout).toMatch(/^passed/);
  });
});

describe('what cannot be', () => {
  test.each<[string, string[], string, string]>([
    [
      'add without files',
      ['add', 'x'],
      'a feature needs at least one pattern of files',
      'lanehold feature add x --files',
    ],
    [
      'add a bad name',
      ['add', 'No Name', '--files', 'x'],
      '`No Name` cannot be the name of a feature',
      'lower-case letters',
    ],
    [
      'add a path that leaves',
      ['add', 'x', '--files', '../y'],
      'leaves the repository with `..`',
      'own repository',
    ],
    [
      'add an absolute path',
      ['add', 'x', '--files', '/etc/*'],
      'of feature `x` is absolute',
      'relative',
    ],
    [
      'add a time limit',
      ['add', 'x', '--files', 'x', '--smoke', 'y', '--timeout', 'soon'],
      '`soon` is no time limit',
      'write 90s',
    ],
    [
      'add a folder that is not there',
      ['add', 'x', '--files', 'x', '--smoke', 'y', '--cwd', 'scr'],
      'there is no folder `scr` in this project',
      'write it relative to the repository root',
    ],
    [
      'add a file as a folder',
      ['add', 'cart', '--replace', '--cwd', 'README.md'],
      'a file and no folder is at `README.md`',
      'write it relative to the repository root',
    ],
    [
      'add a broken glob',
      ['add', 'x', '--files', 'src/{cart,checkout/**'],
      '`src/{cart,checkout/**` opens a bracket that it does not close',
      'complete it',
    ],
    [
      'add a cycle',
      ['add', 'cart', '--replace', '--depends-on', 'cart'],
      'in a loop: cart -> cart',
      'take one of these names out',
    ],
    [
      'add a dependency on nobody',
      ['add', 'x', '--files', 'x', '--depends-on', 'crat'],
      'no feature named `crat`',
      'did you mean `cart`?',
    ],
    ['show nobody', ['show', 'chekout'], 'no feature named `chekout`', 'did you mean `checkout`?'],
    ['remove nobody', ['remove', 'zzz'], 'no feature named `zzz`', 'see `lanehold feature list`'],
    [
      'remove what others need',
      ['remove', 'cart'],
      '`checkout` depends on `cart`',
      'take it out of the `dependsOn`',
    ],
    ['share nobody', ['share', 'crt'], 'no feature named `crt`', 'did you mean `cart`?'],
    [
      'share what is shared',
      ['share', 'cart'],
      '`cart` is in lanehold.json already',
      'commit the file',
    ],
    ['verify nothing', ['verify'], 'say which features to verify', '--pending'],
    [
      'verify nobody',
      ['verify', 'cart', 'crat'],
      'no feature named `crat`',
      'did you mean `cart`?',
    ],
    [
      'verify at nowhere',
      ['verify', 'cart', '--at', 'nowhere'],
      '`nowhere` is no commit',
      'git fetch',
    ],
    [
      'verify at an option',
      ['verify', 'cart', '--at', '--help-me'],
      '`--help-me` is no commit',
      'git fetch',
    ],
    ['pending at nowhere', ['pending', '--head', 'x'], '`x` is no commit', 'git fetch'],
    [
      'waive without a reason',
      ['waive', 'cart'],
      'required option `--reason <text>` not specified',
      '--help',
    ],
    [
      'waive for nothing',
      ['waive', 'cart', '--reason', ' '],
      'a waiver needs a reason',
      '--reason',
    ],
    ['waive nobody', ['waive', 'crat', '--reason', 'x'], 'no feature named `crat`', 'did you mean'],
    [
      'waive for ever',
      ['waive', 'cart', '--reason', 'x', '--expires', 'never'],
      '`never` is no duration',
      'write 90m, 24h or 7d',
    ],
    ['history of nobody', ['history', 'crat'], 'no feature named `crat`', 'did you mean `cart`?'],
    ['history of no length', ['history', 'cart', '--limit', '0'], '`0` is no count', 'from 1 up'],
    [
      'an unknown option',
      ['list', '--vebose'],
      'unknown option `--vebose`',
      'did you mean `--verbose`?',
    ],
    ['an unknown command', ['lst'], 'unknown command `lst`', 'did you mean `list`?'],
  ])('%s: one fact, one hint, exit code 2, nothing written', async (_, argv, fact, hint) => {
    const features: Features = {
      cart: { files: ['src/cart/**'], smoke: ['true'] },
      checkout: { files: ['src/checkout/**'], smoke: ['true'], dependsOn: ['cart'] },
    };
    const { lanehold, repo, git } = shop(sandbox(), { features });
    const before = (await lanehold('feature', 'list', '--json')).stdout;
    const { exitCode, stdout, stderr } = await lanehold('feature', ...argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.split('\n')).toHaveLength(3);
    expect(stderr).toMatch(/^error: [^\n]*\nhint: [^\n]*\n$/);
    expect(stderr.split('\n')[0]).toContain(fact);
    expect(stderr.split('\n')[1]).toContain(hint);
    expect((await lanehold('feature', 'list', '--json')).stdout).toBe(before);
    expect(git('status', '--porcelain')).toBe('');
    expect(readdirSync(repo).sort()).toEqual(['.git', 'README.md', 'lanehold.json', 'src']);
  });

  test('a lanehold.json that is broken: the place, and no command goes on', async () => {
    const { lanehold, write } = shop(sandbox());
    write('lanehold.json', '{\n  "features": { "cart": { "files": ["x"], "smok": [] } }\n}\n');
    for (const argv of [['list'], ['pending'], ['verify', 'cart'], ['add', 'x', '--files', 'x']]) {
      const { exitCode, stdout, stderr } = await lanehold('feature', ...argv);
      expect({ argv, exitCode, stdout }).toEqual({ argv, exitCode: 1, stdout: '' });
      expect(stderr).toMatch(
        /^error: lanehold\.json:2:43: .*`smok`.*\nhint: did you mean `smoke`\?\n$/,
      );
    }
  });

  test('a folder that is not there', async () => {
    const box = sandbox();
    const run = await command(box, box.root, ['feature', 'list', '--project', 'nowhere']);
    expect(run).toMatchObject({
      exitCode: 2,
      stderr: `error: there is no folder ${box.root}/nowhere\nhint: correct --project\n`,
    });
  });

  test('a revision where there is no git', async () => {
    const box = sandbox();
    box.write('plain/lanehold.json', '{ "features": { "x": { "files": ["**"] } } }');
    const run = await command(box, join(box.root, 'plain'), [
      'feature',
      'verify',
      'x',
      '--at',
      'HEAD',
    ]);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain('not in a git repository, so it has no revisions');
  });

  test('a project that cannot be written: --shared says so, and leaves nothing behind', async () => {
    const box = sandbox();
    const { repo, lanehold } = shop(box);
    chmodSync(repo, 0o555);
    const argv = ['feature', 'add', 'x', '--files', 'x', '--smoke', 'y', '--shared'];
    const { exitCode, stderr } = await lanehold(...argv);
    chmodSync(repo, 0o755);
    // The superuser writes wherever they like.
    if (process.getuid?.() === 0) return expect(exitCode).toBe(0);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error: cannot write .*lanehold\.json: .*\nhint: .*`--shared`\n$/);
    expect(readdirSync(repo).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    expect(existsSync(join(repo, 'lanehold.json'))).toBe(true);
  });
});
