/** A home that cannot be used: one sentence, one hint, and no partial file. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { command } from '../../support/command.ts';
import { beforeCommand } from '../../support/payloads.ts';
import { type Ran, runProgram } from '../../support/program.ts';
import { CLI_PROGRAM, HOOK_PROGRAM, type Sandbox, sandbox } from '../../support/sandbox.ts';

const EXPLAINED = /^error: (?:[a-z/]|LANEHOLD_HOME )[^\n]*[^.\n]\nhint: [^\n]+\n$/;

const ADD = ['feature', 'add', 'checkout', '--files', 'src/**', '--smoke', 'true'];

function repository(box: Sandbox): string {
  const repo = box.repo();
  box.write('repo/src/a.txt', 'a\n');
  box.commit(repo);
  return repo;
}

function expectExplained(ran: Omit<Ran, 'signal'>, fact: RegExp): void {
  expect(ran).toMatchObject({ exitCode: 1, stdout: '' });
  expect(ran.stderr).toMatch(EXPLAINED);
  expect(ran.stderr).toMatch(fact);
}

const UNUSABLE: Record<string, (box: Sandbox) => RegExp> = {
  'LANEHOLD_HOME is a file': (box) => {
    box.env.LANEHOLD_HOME = box.write('file', 'x');
    return /a part of its path is a file/;
  },
  'LANEHOLD_HOME is relative': (box) => {
    box.env.LANEHOLD_HOME = 'store';
    return /LANEHOLD_HOME is no absolute path: store/;
  },
  'LANEHOLD_HOME has a tilde that no shell has seen': (box) => {
    box.env.LANEHOLD_HOME = '~/store';
    return /LANEHOLD_HOME is no absolute path: ~\/store/;
  },
  'LANEHOLD_HOME is below a file': (box) => {
    box.env.LANEHOLD_HOME = join(box.write('file', 'x'), 'below/it');
    return /a part of its path is a file/;
  },
  'LANEHOLD_HOME is a link to nowhere': (box) => {
    symlinkSync('/nowhere/at/all', join(box.root, 'link'));
    box.env.LANEHOLD_HOME = join(box.root, 'link');
    return /cannot use the database/;
  },
  'LANEHOLD_HOME is a link to itself': (box) => {
    symlinkSync('loop', join(box.root, 'loop'));
    box.env.LANEHOLD_HOME = join(box.root, 'loop');
    return /cannot use the database/;
  },
  'LANEHOLD_HOME has a name that is too long': (box) => {
    box.env.LANEHOLD_HOME = join(box.root, 'x'.repeat(300));
    return /cannot use the database/;
  },
  'LANEHOLD_HOME is no place for folders': (box) => {
    box.env.LANEHOLD_HOME = '/proc/lanehold';
    return /cannot use the database/;
  },
  'the database is a folder': (box) => {
    mkdirSync(join(box.laneholdHome, 'lanehold.db'), { recursive: true });
    return /it cannot be opened/;
  },
  'HOME is no path': (box) => {
    Object.assign(box.env, { HOME: 'not/absolute', LANEHOLD_HOME: '' });
    return /there is no home folder/;
  },
};

describe.each(Object.entries(UNUSABLE))('where %s', (_, arrange) => {
  test('a command says so, and a push is held with the reason', async () => {
    const box = sandbox();
    const repo = repository(box);
    const fact = arrange(box);
    expectExplained(await command(box, repo, ADD), fact);
    expectExplained(await command(box, repo, ['feature', 'list']), fact);
    const push = await box.startHook('before-tool', beforeCommand(repo, 'git push origin main'));
    expect(push).toMatchObject({ exitCode: 2, stderr: '' });
    expect(JSON.parse(push.stdout).hookSpecificOutput.permissionDecision).toBe('deny');
    const other = await box.hook('before-tool', beforeCommand(repo, 'ls'));
    expect(other).toEqual({ exitCode: 0, signal: null, stdout: '', stderr: '' });
    expect(box.git(repo, 'status', '--porcelain')).toBe('');
  });
});

/**
 * Runs a line of shell in a mount namespace of its own, as root of it: mounts end with it. Says why
 * that is not possible here, where it is not.
 */
async function inOwnMounts(box: Sandbox, script: string, ...args: string[]): Promise<Ran> {
  const [first = '', ...rest] = [...UNSHARE, '/bin/sh', '-euc', script, 'sh', ...args];
  return runProgram(first, rest, { cwd: box.root, env: box.env });
}

const UNSHARE = ['unshare', '--map-root-user', '--mount'];

async function whyNoMounts(): Promise<string | undefined> {
  const start = { cwd: '/', env: { PATH: process.env.PATH } };
  const line = 'mount -t tmpfs -o size=64k tmpfs /mnt';
  const [first = '', ...rest] = [...UNSHARE, 'sh', '-c', line];
  const tried = await runProgram(first, rest, start).catch((error: Error) => error);
  if (tried instanceof Error) return tried.message;
  return tried.exitCode === 0 ? undefined : tried.stderr.trim();
}

const noMounts = await whyNoMounts();
/** Ends up in the report where it is skipped: what cannot be tried here. */
const withMounts = noMounts === undefined ? '' : ` (skipped, no mounts here: ${noMounts})`;

describe.skipIf(noMounts !== undefined)(`on a file system of its own${withMounts}`, () => {
  const READ_ONLY = 'mount --bind "$1" "$1"; mount -o remount,ro,bind "$1"; shift; exec "$@"';
  const SMALL = 'mkdir -p "$2"; mount -t tmpfs -o size="$1" tmpfs "$2"; shift 2; exec "$@"';

  test('a read-only home is named as such before there is a database', async () => {
    const box = sandbox();
    const repo = repository(box);
    const cli = [process.execPath, CLI_PROGRAM, '--project', repo, ...ADD];
    expectExplained(await inOwnMounts(box, READ_ONLY, box.home, ...cli), /read-only/);
    expect(existsSync(box.laneholdHome)).toBe(false);
  });

  test('a read-only home is named as such, and holds what is recorded in it', async () => {
    const box = sandbox();
    const repo = repository(box);
    await box.cli(repo, ...ADD);
    const before = snapshot(box.laneholdHome);
    const run = (...args: string[]) =>
      inOwnMounts(
        box,
        READ_ONLY,
        box.home,
        process.execPath,
        CLI_PROGRAM,
        '--project',
        repo,
        ...args,
      );

    expectExplained(
      await run('feature', 'add', 'other', '--files', 'x', '--smoke', 'true'),
      /read-only|cannot be opened/,
    );
    expectExplained(await run('feature', 'verify', 'checkout'), /read-only|cannot be opened/);
    expect(snapshot(box.laneholdHome)).toEqual(before);
    const push = payloadFile(box, beforeCommand(repo, 'git push origin main'));
    const hook = `exec "$0" "${HOOK_PROGRAM}" before-tool --agent claude-code < ${push}`;
    const held = await inOwnMounts(
      box,
      READ_ONLY,
      box.home,
      '/bin/sh',
      '-c',
      hook,
      process.execPath,
    );
    expect(held).toMatchObject({ exitCode: 2, stderr: '' });
  });

  test.each(['16k', '176k'])(
    'a disk of %s that fills up loses nothing that was said to be done',
    async (size) => {
      const box = sandbox();
      const repo = repository(box);
      const disk = join(box.root, 'disk');
      box.env.LANEHOLD_HOME = join(disk, 'home');
      const fill = `
        done=0
        while "$0" "$1" --project "$2" feature add "f$done" --files "src/$3/**" --smoke true \\
          >/dev/null 2>"$4"; do done=$((done + 1)); done
        cat "$4" >&2
        mount -o remount,size=4m tmpfs "$5"
        echo "$done"
        exec "$0" "$1" --project "$2" feature list --json`;
      const long = 'x'.repeat(4000);
      const args = [process.execPath, CLI_PROGRAM, repo, long, join(box.root, 'stderr'), disk];
      const ran = await inOwnMounts(box, SMALL, size, disk, '/bin/sh', '-c', fill, ...args);

      expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(EXPLAINED) });
      expect(ran.stderr).toMatch(/the disk is full/);
      const [done, ...listing] = ran.stdout.split('\n');
      expect(JSON.parse(listing.join('\n')).features).toHaveLength(Number(done));
    },
  );
});

function payloadFile(box: Sandbox, payload: object): string {
  return box.write('payload.json', JSON.stringify(payload));
}

function snapshot(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const file = join(folder, name);
      return [name, statSync(file).isFile() ? readFileSync(file, 'base64') : 'folder'];
    }),
  );
}
