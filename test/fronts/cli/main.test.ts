import { describe, expect, test } from 'vitest';
import { ExitCode, ExplainedError, UsageError } from '../../../src/base/errors.ts';
import type { Declare, Host } from '../../../src/fronts/cli/command.ts';
import { allCommands, createProgram, main } from '../../../src/fronts/main.ts';
import { bufferedHost } from '../../support/buffered-host.ts';

/** Commands of the test's own, declared the way real ones are. */
const commands: Readonly<Record<string, Declare>> = {
  thing: (parent, context) => {
    const thing = parent.command('thing').description('Group of commands');
    thing
      .command('show')
      .description('Show the context')
      .argument('[name]')
      .option('--head <revision>', 'a revision')
      .action((name: string | undefined, options: object) => {
        const { cwd, json, quiet, verbose, print, progress } = context();
        progress('working');
        process.exitCode = print(
          { cwd, name, options, json, quiet, verbose },
          `in ${cwd}`,
          ExitCode.held,
        );
      });
    thing.command('list').action(() => {
      const { print, progress } = context();
      progress('working');
      process.exitCode = print([], 'nothing');
    });
  },
  explain: (parent) => {
    parent.command('explain').action(() => {
      throw new UsageError('no feature named `a\u001b[2Jb`', { hint: 'did you mean `ab`?' });
    });
  },
  cause: (parent) => {
    parent.command('cause').action(() => {
      throw new ExplainedError('it failed', { cause: new Error('the disk is full') });
    });
  },
  crash: (parent) => {
    parent.command('crash').action(async () => {
      await Promise.resolve();
      throw new TypeError('x is not a function');
    });
  },
};

const loaded = Object.fromEntries(
  Object.entries(commands).map(([name, declare]) => [name, async () => declare]),
);

async function run(argv: readonly string[], changes: Partial<Host> = {}) {
  const { host, said } = bufferedHost(argv, changes);
  const exitCode = await main(host, loaded);
  return { exitCode, ...said };
}

describe('options that every command has', () => {
  test.each([
    [['thing', 'show', '--json', '-q', '--verbose']],
    [['--json', '-q', '--verbose', 'thing', 'show']],
    [['thing', '--json', 'show', '-q', '--verbose']],
  ])('are taken anywhere: %j', async (argv) => {
    const { stdout, stderr, exitCode } = await run(argv);
    expect(JSON.parse(stdout)).toMatchObject({ json: true, quiet: true, verbose: true });
    expect(stderr).toBe('');
    expect(exitCode).toBe(ExitCode.held);
  });

  test('the text of a result goes to stdout, progress to stderr', async () => {
    expect(await run(['thing', 'show'])).toEqual({
      exitCode: ExitCode.held,
      stdout: 'in /\n',
      stderr: 'working\n',
    });
    expect((await run(['thing', 'show', '--quiet'])).stderr).toBe('');
  });

  test('--quiet prints nothing on success, and what is held all the same', async () => {
    expect(await run(['thing', 'list', '-q'])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect((await run(['thing', 'list', '-q', '--json'])).stdout).toBe('[]\n');
    expect((await run(['thing', 'show', '-q'])).stdout).toBe('in /\n');
  });

  test.each(['usr', '/usr', './usr/../usr'])('--project %s is made absolute', async (dir) => {
    expect((await run(['thing', 'show', '--project', dir])).stdout).toBe('in /usr\n');
  });

  test('--project wins over LANEHOLD_PROJECT, which wins over the working directory', async () => {
    const env = { LANEHOLD_PROJECT: '/etc' };
    expect((await run(['thing', 'show'], { env })).stdout).toBe('in /etc\n');
    expect((await run(['thing', 'show', '--project', 'usr'], { env })).stdout).toBe('in /usr\n');
  });

  test('a project that is not there is misuse', async () => {
    const { exitCode, stderr } = await run(['thing', 'show', '--project', 'nowhere']);
    expect(exitCode).toBe(ExitCode.usage);
    expect(stderr).toBe('error: there is no folder /nowhere\nhint: correct --project\n');
  });
});

describe('misuse', () => {
  test.each([
    [['thng'], 'unknown command `thng`', 'did you mean `thing`?'],
    [['thing', 'shwo'], 'unknown command `shwo`', 'did you mean `show`?'],
    [['show'], 'unknown command `show`', 'did you mean `lanehold thing show`?'],
    [['thing', 'explain'], 'unknown command `explain`', 'did you mean `lanehold explain`?'],
    [['xyzzy'], 'unknown command `xyzzy`', 'see `lanehold --help`'],
    [['thing', 'show', '--haed', 'x'], 'unknown option `--haed`', 'did you mean `--head`?'],
    [
      ['thing', 'show', '--head'],
      'option `--head <revision>` argument missing',
      'see `lanehold thing show --help`',
    ],
    [
      ['thing', 'show', 'a', 'b'],
      'too many arguments for `show`. Expected 1 argument but got 2: a, b',
      'see `lanehold thing show --help`',
    ],
  ])('%j: %s', async (argv, fact, hint) => {
    expect(await run(argv)).toEqual({
      exitCode: ExitCode.usage,
      stdout: '',
      stderr: `error: ${fact}\nhint: ${hint}\n`,
    });
    const asJson = await run(['--json', ...argv]);
    expect(JSON.parse(asJson.stdout)).toEqual({ error: { code: 'USAGE', message: fact, hint } });
    expect(asJson.stderr).toBe('');
  });

  test('a group without a command shows its help and is misuse', async () => {
    const { exitCode, stderr } = await run(['thing']);
    expect(exitCode).toBe(ExitCode.usage);
    expect(stderr).toContain('Usage: lanehold thing');
  });
});

describe('failures', () => {
  test('an explained one is a fact and a hint, and cannot steer the terminal', async () => {
    expect(await run(['explain'])).toEqual({
      exitCode: ExitCode.usage,
      stdout: '',
      stderr: 'error: no feature named `a\\x1b[2Jb`\nhint: did you mean `ab`?\n',
    });
  });

  test('its cause is shown on request', async () => {
    expect((await run(['cause'])).stderr).toBe('error: it failed\n');
    expect((await run(['cause', '--verbose'])).stderr).toContain('the disk is full');
  });

  test('an unexpected one shows its stack and asks for a report', async () => {
    const { exitCode, stderr } = await run(['crash']);
    expect(exitCode).toBe(ExitCode.failed);
    expect(stderr).toMatch(/^TypeError: x is not a function\n {4}at .*main\.test\.ts/);
    expect(stderr).toMatch(/\nhint: this is a defect in lanehold: please report it/);
  });

  test('under --json it is an object on stdout and the stack on stderr', async () => {
    const { stdout, stderr } = await run(['crash', '--json']);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'UNEXPECTED',
      message: 'TypeError: x is not a function',
    });
    expect(stderr).toContain('main.test.ts');
  });

  test('one command leaves no exit code behind for the next', async () => {
    expect((await run(['thing', 'show'])).exitCode).toBe(ExitCode.held);
    expect((await run(['--version'])).exitCode).toBe(ExitCode.done);
    expect(process.exitCode).toBeUndefined();
  });
});

describe('colour', () => {
  test.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', {}, {}, false],
    ['NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['a terminal that cannot', { isTTY: true }, { TERM: 'dumb' }, false],
    ['FORCE_COLOR', {}, { FORCE_COLOR: '1' }, true],
  ])('%s', async (_, tty, env, coloured) => {
    const { host, said } = bufferedHost(['explain'], { env });
    Object.assign(host.streams.stderr, tty);
    await main(host, loaded);
    expect(said.stderr.includes('\u001b[')).toBe(coloured);
  });
});

describe('help', () => {
  test('without a command help goes to stdout', async () => {
    const { exitCode, stdout } = await run([]);
    expect(exitCode).toBe(ExitCode.done);
    expect(stdout).toContain('Usage: lanehold');
    expect(stdout).toContain('Every command takes --help, --json');
  });

  test.each([
    [['help', 'thng'], 'unknown command `thng`', 'did you mean `thing`?'],
    [['help', 'thing', 'shwo'], 'unknown command `shwo`', 'did you mean `show`?'],
    [['thing', 'help', 'shwo'], 'unknown command `shwo`', 'did you mean `show`?'],
  ])('%j suggests what was meant', async (argv, fact, hint) => {
    expect(await run(argv)).toEqual({
      exitCode: ExitCode.usage,
      stdout: '',
      stderr: `error: ${fact}\nhint: ${hint}\n`,
    });
  });

  test('`help` of a command is what `--help` of it shows', async () => {
    const { exitCode, stdout } = await run(['help', 'thing', 'show']);
    expect(exitCode).toBe(ExitCode.done);
    expect(stdout).toContain('Usage: lanehold thing show [options] [name]');
    expect((await run(['thing', 'help', 'show'])).stdout).toBe(stdout);
    expect((await run(['thing', 'show', '--help'])).stdout).toBe(stdout);
    expect((await run(['help'])).stdout).toBe((await run(['--help'])).stdout);
  });

  test('the usual commands come first, then all of them under headings', async () => {
    const { host, said } = bufferedHost(['--help']);
    await main(host);
    const [head = '', ...groups] = said.stdout.split(/^(?=\w[\w ]+:)/m);
    expect(head.trim().split('\n')).toHaveLength(1);
    expect(groups.map((it) => it.split(':')[0])).toEqual([
      ...['Start here', 'Usage', 'Hold', 'Lanes', 'Memory', 'Setup'],
    ]);
    expect(groups[0]?.trim().split('\n')).toHaveLength(10);
  });

  test('the version is that of the package', async () => {
    const { exitCode, stdout } = await run(['--version']);
    expect(exitCode).toBe(ExitCode.done);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test('every command describes itself in the imperative, gives an example, and fits into 80 columns', async () => {
    const { host } = bufferedHost([]);
    const program = createProgram(await allCommands(), host.streams, () => {
      throw new Error('help needs no context');
    });
    const below = (command: typeof program): (typeof program)[] => [
      command,
      ...command.commands.filter((it) => it.name() !== 'help').flatMap(below),
    ];
    for (const command of below(program)) {
      let help = '';
      command.configureOutput({
        writeOut: (text) => {
          help += text;
        },
      });
      command.outputHelp();
      expect(
        help.split('\n').filter((line) => line.length > 80),
        command.name(),
      ).toEqual([]);
      if (command.commands.length > 0) continue;
      expect(command.description()).toMatch(/^[A-Z].*[^.]$/);
      expect(help, command.name()).toContain(`\nExamples:\n  lanehold `);
    }
  });
});
