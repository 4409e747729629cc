import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const bin = join(import.meta.dirname, '../../../bin/lanehold.js');

/** A package of its own around the real `bin/lanehold.js`. */
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "bin 'quoted' "));
  onTestFinished(() => rmSync(root, { recursive: true }));
  put('package.json', '{"type": "module"}');
  mkdirSync(join(root, 'bin'));
  for (const it of ['lanehold.js', 'package.json']) {
    copyFileSync(join(dirname(bin), it), join(root, 'bin', it));
  }
});

function put(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Makes the Node that runs the tests say that it is older. */
function pretend(version: string): string[] {
  const versions = `{ value: { ...process.versions, node: '${version}' } }`;
  const code = `Object.defineProperty(process, 'versions', ${versions});`;
  return ['--require', put('pretend.cjs', code)];
}

function start(
  nodeArgs: readonly string[] = [],
  args: readonly string[] = ['a b', '--json'],
  program = 'bin/lanehold.js',
) {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    [...nodeArgs, join(root, program), ...args],
    { encoding: 'utf8' },
  );
  return { status, signal, stdout, stderr };
}

const buildCli = () =>
  put(
    'dist/cli.cjs',
    'exports.main = async () => { console.log(JSON.stringify(process.argv.slice(2))); return 3; };',
  );

/** Stands in for the package's own Node; gets the script and its arguments. */
function ownNode(script: string): void {
  chmodSync(put('node_modules/node/bin/node', `#!/bin/sh\n${script}\n`), 0o755);
}

test('runs the built program with its arguments and exit code', () => {
  buildCli();
  expect(start()).toMatchObject({ status: 3, stdout: '["a b","--json"]\n', stderr: '' });
});

test('says how to build what is not built', () => {
  expect(start()).toMatchObject({
    status: 1,
    stdout: '',
    stderr: 'error: lanehold is not built yet\nhint: run `npm start`, or `npm run build`\n',
  });
});

test('the version alone needs nothing that is built', () => {
  put('package.json', '{"version": "9.8.7"}');
  expect(start([], ['--version'])).toMatchObject({ status: 0, stdout: '9.8.7\n', stderr: '' });
});

describe('on an old Node', () => {
  test.each(['18.19.0', '20.20.2', '22.11.9'])('%s is told what is needed', (version) => {
    buildCli();
    const { status, stdout, stderr } = start(pretend(version));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe(
      `error: lanehold needs Node 22.12 or newer, this is ${version}\nhint: install Node 24 from https://nodejs.org and run the same command again\n`,
    );
  });

  test('names the line that installs one beside a package that npm has installed, and goes on with that', () => {
    const installed = 'lib/node_modules/lanehold/bin/lanehold.js';
    for (const it of [installed, 'lib/node_modules/lanehold/bin/package.json']) {
      copyFileSync(join(dirname(bin), basename(it)), put(it, ''));
    }
    const old = pretend('20.0.0');
    expect(start(old, ['status'], installed)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(
        `npm install --global --prefix '${root.replaceAll("'", "'\\''")}' --no-bin-links node@24\n`,
      ),
    });
    chmodSync(put('lib/node_modules/node/bin/node', '#!/bin/sh\necho newer\n'), 0o755);
    expect(start(old, ['status'], installed)).toMatchObject({ status: 0, stdout: 'newer\n' });
    chmodSync(join(root, 'lib/node_modules/node/bin/node'), 0o644);
    expect(start(old, ['status'], installed).stderr).toMatch(
      /does not start: .*\nhint: .*--no-bin-links node@24\n/,
    );
  });

  test.each(['22.12.0', '24.0.0'])('%s is new enough', (version) => {
    buildCli();
    expect(start(pretend(version))).toMatchObject({ status: 3 });
  });

  test('goes on with the Node of the package', () => {
    ownNode('shift; cat; printf "[%s]" "$@"; exit 7');
    expect(start(pretend('20.0.0'))).toMatchObject({ status: 7, stdout: '[a b][--json]' });
  });

  test('ends by the signal that ended the other one', () => {
    ownNode('kill -TERM $$');
    expect(start(pretend('20.0.0'))).toMatchObject({ signal: 'SIGTERM' });
  });

  test('hands on the signal to end', async () => {
    ownNode('trap "echo ended; exit 5" TERM; echo ready; while :; do sleep 0.05; done');
    const child = spawn(process.execPath, [...pretend('20.0.0'), join(root, 'bin/lanehold.js')]);
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (said === 'ready\n') child.kill('SIGTERM');
    });
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, said }).toEqual({ status: 5, said: 'ready\nended\n' });
  });

  test('explains a Node of the package that does not start', () => {
    ownNode('exit 0');
    chmodSync(join(root, 'node_modules/node/bin/node'), 0o644);
    const { status, stderr } = start(pretend('20.0.0'));
    expect(status).toBe(1);
    expect(stderr).toMatch(/does not start: .*\nhint: run `npm ci`/);
  });
});

describe('the whole program', () => {
  /** Builds a CLI of one command, whose action is `body`, on the real `main`. */
  function withCommand(body: string): void {
    const main = JSON.stringify(join(import.meta.dirname, '../../../src/fronts/main.ts'));
    put(
      'dist/cli.cjs',
      `const it = (parent, context) => parent.command('it').action(() => { ${body} });
       exports.main = async () => (await import(${main})).main(undefined, { it: async () => it });`,
    );
  }

  test('takes a reader that leaves early for no failure', async () => {
    withCommand(
      'for (let i = 0; i < 1e5; i += 1) process.stdout.write("line\\n"); process.exitCode = 3;',
    );
    const child = spawn(process.execPath, [join(root, 'bin/lanehold.js'), 'it']);
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdout.once('data', () => child.stdout.destroy());
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, stderr }).toEqual({ status: 3, stderr: '' });
  });

  test('explains that its folder was deleted', () => {
    withCommand('context();');
    const folder = join(root, 'gone');
    const script = 'mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" it';
    const args = ['sh', folder, process.execPath, join(root, 'bin/lanehold.js')];
    const { status, stderr } = spawnSync('/bin/sh', ['-c', script, ...args], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'error: the working directory no longer exists\nhint: change to another folder, or give `--project <dir>`\n',
    });
  });
});
