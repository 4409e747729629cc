/** When lanehold itself is in trouble: releases are held, all other work goes on, the log says why. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAMAGE } from '../../store/damage.ts';
import { command } from '../../support/command.ts';
import {
  afterEdit,
  beforeCommand,
  beforeEdit,
  sessionStart,
  stop,
} from '../../support/payloads.ts';
import { type Ran, runProgram } from '../../support/program.ts';
import { HOOK_PROGRAM, type Payload, type Sandbox, sandbox } from '../../support/sandbox.ts';
import { expectAnswer } from './answers.ts';

/** A repository with a remote and a feature that is not verified. */
async function held(box: Sandbox): Promise<string> {
  const repo = box.repo();
  box.git('.', 'init', '--quiet', '--bare', 'remote.git');
  box.git(repo, 'remote', 'add', 'origin', join(box.root, 'remote.git'));
  box.write('repo/src/a.txt', 'a\n');
  box.commit(repo);
  await command(box, repo, ['feature', 'add', 'checkout', '--files', 'src/**', '--smoke', 'true']);
  return repo;
}

const logOf = ({ laneholdHome }: Sandbox) => join(laneholdHome, 'logs/hook.log');
const databaseOf = ({ laneholdHome }: Sandbox) => join(laneholdHome, 'lanehold.db');

function logged(box: Sandbox): { at: string; agent: string; event: string; error: string }[] {
  const lines = readFileSync(logOf(box), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

const SOME_DAMAGE = ['text in its place', 'cut to its header', 'all pages but the first flipped'];

describe.each(SOME_DAMAGE)('a database with %s', (kind) => {
  test('holds releases with the way out, and nothing else', async () => {
    const box = sandbox();
    const repo = await held(box);
    const damaged = DAMAGE[kind]?.(readFileSync(databaseOf(box))) ?? Buffer.alloc(0);
    writeFileSync(databaseOf(box), damaged);

    for (const command of [
      'git push origin main',
      "git pu''sh",
      'cd "$X" && git pu"s"h',
      'npm publish',
    ]) {
      const ran = await box.startHook('before-tool', beforeCommand(repo, command));
      expect([command, expectAnswer(ran)]).toEqual([command, 'deny']);
    }
    const push = await box.startHook('before-tool', beforeCommand(repo, 'git push origin main'));
    expect(push.stdout).toContain('lanehold doctor --repair');

    for (const command of ['ls', 'git status', 'git commit -m release', 'echo publish']) {
      const ran = await box.startHook('before-tool', beforeCommand(repo, command));
      expect([command, expectAnswer(ran)]).toEqual([command, 'none']);
    }
    const edit = afterEdit(repo, join(repo, 'src/a.txt'));
    expect(expectAnswer(await box.startHook('after-tool', edit))).toBe('none');
    expect(expectAnswer(await box.startHook('session-start', sessionStart(repo)))).toBe('none');
    expect(expectAnswer(await box.startHook('stop', stop(repo)))).toBe('none');

    for (const event of ['after-tool', 'session-start', 'stop']) {
      expect(logged(box)).toContainEqual({
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        agent: 'claude-code',
        event,
        error: expect.stringContaining(`the database ${databaseOf(box)} is damaged`),
      });
    }
    expect(readFileSync(databaseOf(box))).toEqual(damaged);
  });
});

test('a newer database holds releases and says what to upgrade', async () => {
  const box = sandbox();
  const repo = await held(box);
  const bytes = readFileSync(databaseOf(box));
  // `user_version`, as the format of SQLite's files puts it.
  bytes.writeUInt32BE(99, 60);
  writeFileSync(databaseOf(box), bytes);
  const push = await box.startHook('before-tool', beforeCommand(repo, 'git push origin main'));
  expect(expectAnswer(push)).toBe('deny');
  expect(push.stdout).toContain('upgrade lanehold');
  expect(expectAnswer(await box.startHook('before-tool', beforeCommand(repo, 'ls')))).toBe('none');
});

test.each(['not json', '{"features": 1}', '{"nope": {}}'])(
  'a lanehold.json of %j holds releases and nothing else',
  async (text) => {
    const box = sandbox();
    const repo = await held(box);
    box.write('repo/lanehold.json', text);
    box.commit(repo);
    const push = await box.startHook('before-tool', beforeCommand(repo, 'git push origin main'));
    expect(expectAnswer(push)).toBe('deny');
    expect(push.stdout).toContain('lanehold.json');
    expect(expectAnswer(await box.startHook('before-tool', beforeCommand(repo, 'ls')))).toBe(
      'none',
    );
    const edit = afterEdit(repo, join(repo, 'src/a.txt'));
    expect(expectAnswer(await box.startHook('after-tool', edit))).toBe('none');
  },
);

test('without git on PATH releases are held, and nothing else', async () => {
  const box = sandbox();
  const repo = await held(box);
  const env = { PATH: '/nowhere' };
  const push = await box.startHook('before-tool', beforeCommand(repo, 'git push origin main'), {
    env,
  });
  expect(expectAnswer(push)).toBe('deny');
  expect(push.stdout).toContain('install git');
  expect(expectAnswer(await box.startHook('before-tool', beforeCommand(repo, 'ls'), { env }))).toBe(
    'none',
  );
  expect(expectAnswer(await box.startHook('stop', stop(repo), { env }))).toBe('none');
});

describe('the log', () => {
  const broken = (box: Sandbox) => box.startHook('stop', stop(join(box.root, 'nowhere')));

  test('is only for its owner, one JSON object a line', async () => {
    const box = sandbox();
    await broken(box);
    await broken(box);
    expect(logged(box)).toHaveLength(2);
    expect(logged(box)[0]?.error).toContain('there is no folder');
    expect((statSync(logOf(box)).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(box.laneholdHome, 'logs')).mode & 0o777).toString(8)).toBe('700');
  });

  test('makes room by keeping one older file', async () => {
    const box = sandbox();
    for (const round of [1, 2, 3]) {
      await broken(box);
      truncateSync(logOf(box), 1_000_001 + round);
    }
    await broken(box);
    expect(readdirSync(join(box.laneholdHome, 'logs')).sort()).toEqual(['hook.log', 'hook.log.1']);
    expect(logged(box)).toHaveLength(1);
    expect(statSync(`${logOf(box)}.1`).size).toBe(1_000_004);
    expect((statSync(`${logOf(box)}.1`).mode & 0o777).toString(8)).toBe('600');
  });

  test('loses no line and no older file when many make room at once', async () => {
    const box = sandbox();
    await broken(box);
    const full = 1_000_001;
    truncateSync(logOf(box), full);
    const before = readFileSync(logOf(box));
    await Promise.all(Array.from({ length: 16 }, () => broken(box)));
    const older = readFileSync(`${logOf(box)}.1`);
    expect(older.subarray(0, full).equals(before)).toBe(true);
    // Whoever does not get its turn to make room in time writes to the full one.
    const late = older.subarray(full).toString().split('\n').length - 1;
    expect(logged(box).length + late).toBe(16);
  });

  test('that cannot be written is no reason to hold anything', async () => {
    const box = sandbox();
    box.write('home/.lanehold/logs', 'a file');
    expect(expectAnswer(await broken(box))).toBe('none');
  });
});

describe('a cache of compiled code', () => {
  const box = sandbox(afterAll);
  let repo = '';
  beforeAll(async () => {
    repo = await held(box);
  });
  const files = () => {
    const folder = join(box.laneholdHome, 'cache');
    return readdirSync(folder).map((name) => join(folder, name));
  };

  test.each([
    [
      'is flipped in places',
      (bytes: Buffer) => bytes.map((byte, at) => (at % 997 === 500 ? ~byte : byte)),
    ],
    ['is cut', (bytes: Buffer) => bytes.subarray(0, bytes.length / 3)],
    ['is empty', () => Buffer.alloc(0)],
    ['is something else', () => Buffer.from('hello hello ')],
  ])('that %s is made again', async (_, damage) => {
    const push = beforeCommand(repo, 'git push origin main');
    expect(expectAnswer(await box.startHook('before-tool', push))).toBe('deny');
    const [file = '', ...others] = files();
    expect(others).toEqual([]);
    const damaged = damage(readFileSync(file));
    writeFileSync(file, damaged);
    expect(expectAnswer(await box.startHook('before-tool', push))).toBe('deny');
    expect(readFileSync(file).equals(damaged)).toBe(false);
    expect(expectAnswer(await box.startHook('before-tool', push))).toBe('deny');
  });

  test.each(['file', 'folder'])('in a %s that others may write is made again', async (what) => {
    const ls = beforeCommand(repo, 'ls');
    await box.startHook('before-tool', ls);
    const [file = ''] = files();
    const [at, bits] = what === 'file' ? [file, 0o600] : [dirname(file), 0o700];
    chmodSync(at, bits | 0o022);
    const { ino } = statSync(file);
    await box.startHook('before-tool', ls);
    expect((statSync(at).mode & 0o777).toString(8)).toBe(bits.toString(8));
    expect(statSync(file).ino).not.toBe(ino);
  });

  test('is made again by a run that comes further, and by no other', async () => {
    const own = sandbox();
    const place = await held(own);
    const cache = () => {
      const folder = join(own.laneholdHome, 'cache');
      return readdirSync(folder).map((name) => `${name} ${statSync(join(folder, name)).ino}`);
    };
    const [ls, push] = ['ls', 'git push'].map((it) => beforeCommand(place, it));
    const seen: string[][] = [];
    for (const payload of [ls, ls, push, push, ls]) {
      await own.startHook('before-tool', payload as Payload, { isFirst: true });
      seen.push(cache());
    }
    const [first, second, third, fourth, fifth] = seen;
    expect(second).toEqual(first);
    expect(third).not.toEqual(second);
    expect([fourth, fifth]).toEqual([third, third]);
  });

  test('is one for edits, one for commands and one for releases', async () => {
    const own = sandbox();
    const place = await held(own);
    const script = join(dirname(dirname(HOOK_PROGRAM)), 'dist/lanehold-hook.sh');
    const start = async (payload: object) => {
      const words = [script, process.execPath, HOOK_PROGRAM, 'settings', 'before-tool'];
      const { exitCode } = await runProgram('/bin/sh', [...words, '--agent', 'claude-code'], {
        cwd: place,
        env: own.env,
        input: JSON.stringify(payload),
      });
      const files = readdirSync(join(own.laneholdHome, 'cache'));
      return [exitCode, ...files.map((name) => name.replace(/\..*/, '')).sort()];
    };
    const [edit, command, release] = ['', '-command', '-release'].map((it) => `before-tool${it}`);
    expect(await start(beforeCommand(place, 'ls'))).toEqual([0, command]);
    expect(await start(beforeCommand(place, 'git push'))).toEqual([2, command, release]);
    expect(await start(beforeEdit(place, 'a.txt'))).toEqual([0, edit, command, release]);
    expect(await start(beforeCommand(place, 'cat a'))).toEqual([0, edit, command, release]);
  });

  test('is only for its owner', async () => {
    await box.startHook('before-tool', beforeCommand(repo, 'ls'));
    expect(files()).toHaveLength(1);
    const folder = join(box.laneholdHome, 'cache');
    for (const name of readdirSync(folder)) {
      expect((statSync(join(folder, name)).mode & 0o777).toString(8)).toBe('600');
    }
    expect((statSync(box.laneholdHome).mode & 0o777).toString(8)).toBe('700');
  });
});

describe('a package', () => {
  const LIBRARY = dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));

  /** A copy of what the hook needs, but for the database library. */
  function copied(box: Sandbox): { main: string; libraries: string; hook: Hook } {
    const folder = join(box.root, 'package');
    const original = dirname(dirname(HOOK_PROGRAM));
    for (const name of ['hooks', 'dist/lanehold-hook.sh', 'migrations', 'package.json']) {
      cpSync(join(original, name), join(folder, name), { recursive: true });
    }
    const libraries = join(folder, 'node_modules');
    mkdirSync(libraries);
    const program = join(folder, 'hooks/lanehold-hook.cjs');
    const script = join(folder, 'dist/lanehold-hook.sh');
    return {
      main: join(folder, 'hooks/lanehold-hook-main.cjs'),
      libraries,
      hook: (repo, command) =>
        runProgram('/bin/sh', [script, process.execPath, program, 'settings', ...BEFORE_TOOL], {
          cwd: repo,
          env: box.env,
          input: JSON.stringify(beforeCommand(repo, command)),
        }),
    };
  }
  type Hook = (repo: string, command: string) => Promise<Ran>;
  const BEFORE_TOOL = ['before-tool', '--agent', 'claude-code'];

  test.each([
    ['is missing', (file: string) => rmSync(file)],
    ['is empty', (file: string) => truncateSync(file)],
    ['lacks its last byte', (file: string) => truncateSync(file, statSync(file).size - 1)],
  ])('whose larger half %s holds releases and nothing else', async (_, damage) => {
    const box = sandbox();
    const repo = await held(box);
    const { main, hook } = copied(box);
    damage(main);
    const push = await hook(repo, 'git push origin main');
    expect(push.exitCode).toBe(2);
    expect(push.stdout).toContain('"permissionDecision":"deny"');
    expect(push.stdout).toContain('held: this cannot be checked');
    expect(await hook(repo, 'ls')).toMatchObject({ exitCode: 0, stdout: '' });
  });

  test('without the database library holds releases and nothing else', async () => {
    const box = sandbox();
    const repo = await held(box);
    const { hook } = copied(box);
    expect(expectAnswer(await hook(repo, 'git push origin main'))).toBe('deny');
    expect(expectAnswer(await hook(repo, 'ls'))).toBe('none');
  });

  test('takes the compiled half of the library that it was built with', async () => {
    const box = sandbox();
    const repo = await held(box);
    const { hook, libraries } = copied(box);
    symlinkSync(LIBRARY, join(libraries, 'better-sqlite3'));
    const push = await hook(repo, 'git push origin main');
    expect(push.stdout).toContain('feature verify checkout');
  });

  test('takes all of a library of another version', async () => {
    const box = sandbox();
    const repo = await held(box);
    const { hook, libraries } = copied(box);
    const [manifest, used] = [{ version: '13.999.0', main: 'main.cjs' }, join(box.root, 'used')];
    const code = `require('fs').writeFileSync(${JSON.stringify(used)}, '');
      module.exports = require(${JSON.stringify(LIBRARY)});`;
    box.write(join(libraries, 'better-sqlite3/package.json'), JSON.stringify(manifest));
    box.write(join(libraries, 'better-sqlite3/main.cjs'), code);
    const push = await hook(repo, 'git push origin main');
    expect(push.stdout).toContain('feature verify checkout');
    expect(existsSync(used)).toBe(true);
  });
});

describe('a secret in a command', () => {
  const box = sandbox(afterAll);
  let repo = '';
  beforeAll(async () => {
    repo = await held(box);
  });
  // Put together here, so that no scanner finds one in this file.
  const token = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');

  test.each([
    [
      'in the address of a push that is held',
      `git push https://ada:${token}@example.org/x.git main`,
    ],
    ['in a variable before it', `GITHUB_TOKEN=${token} git push origin main`],
    ['in a header', `git -c http.extraHeader="Authorization: Bearer ${token}" push origin main`],
    ['in a command that cannot be parsed', `git push "https://${token}@example.org origin main`],
  ])('%s is written nowhere', async (_, command) => {
    const ran = await box.startHook('before-tool', beforeCommand(repo, command));
    expect(expectAnswer(ran)).not.toBe('none');
    expect(ran.stdout).not.toContain(token);
    expectNowhere(box.laneholdHome, token);
  });

  test.each([
    ['cut', (json: string) => json.slice(0, -2)],
    ['without quotes', (json: string) => json.replaceAll('"command":"', '"command":')],
    ['of the wrong kind', (json: string) => json.replace('"tool_name":"Bash"', '"tool_name":7')],
    ['with something after it', (json: string) => `${json}${token}`],
    ['that is no object', () => `[${token} push`],
  ])('in a payload %s is written nowhere, not even in part', async (_, change) => {
    const push = beforeCommand(repo, `git push https://${token}@example.org/x.git`);
    const ran = await box.startHook('before-tool', change(JSON.stringify(push)));
    expect(expectAnswer(ran)).toBe('deny');
    expect(ran.stdout).not.toContain(token.slice(0, 8));
    expectNowhere(box.laneholdHome, token.slice(0, 8));
  });
});

function expectNowhere(folder: string, text: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.length).toBeGreaterThan(1);
  for (const file of files)
    expect([file, readFileSync(file).includes(text)]).toEqual([file, false]);
}
