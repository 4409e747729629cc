/**
 * Scripting languages whose programs are searched for what they start: how a program is given, its
 * lexical rules and the functions that start others. Lists are words separated by blanks.
 */
import type { OptionList } from '../../text/options.ts';
import type { Lexis } from './program-tokens.ts';

export interface Language extends OptionList {
  readonly names: string;
  /** Options whose value is the program. */
  readonly code: string;
  /** The option that runs a module by name: python's `-m`. */
  readonly module?: string;
  /** Subcommand whose next word is the program: `deno eval`. */
  readonly evaluates?: string;
  /** Subcommand before a file: `deno run`. */
  readonly runs?: string;
  readonly lexis: Lexis;
  readonly calls: Calls;
}

export interface Calls {
  /** Functions whose first string is a command. */
  readonly functions: string;
  /** Functions that are named like others: they count only after one of these objects. */
  readonly methods?: Readonly<Record<string, string>>;
  /** A call may be written without parentheses: `system "x"`. */
  readonly bare?: true;
}

export function languageOf(name: string): Language | undefined {
  return LANGUAGES.find(({ names }) => names.split(' ').includes(name));
}

const SHELLS_OF_JAVASCRIPT =
  'cp child_process childProcess child proc shell shelljs sh execa ) Deno Bun process';
const PROCESSES_OF_PYTHON =
  'subprocess sp sub asyncio invoke c ctx context session pexpect local conn';

const LANGUAGES: readonly Language[] = [
  {
    names: 'node nodejs tsx ts-node deno zx bun',
    code: '-e --eval -p --print -pe',
    values:
      '-r --require --import --loader --experimental-loader --env-file --max-old-space-size -C --conditions --input-type --tsconfig -c --config --cert',
    flags:
      '--inspect --inspect-brk --watch --test --check --trace-warnings --no-warnings --experimental-strip-types --allow-all -A --allow-run --allow-read --allow-net --allow-env --allow-write --quiet -q',
    evaluates: 'eval',
    runs: 'run',
    lexis: { lineComments: ['//'], blockComments: true, backquotes: 'template' },
    calls: {
      functions:
        'exec execSync spawn spawnSync execFile execFileSync execa execaSync execaCommand execaCommandSync $ Command',
      methods: { exec: SHELLS_OF_JAVASCRIPT, spawn: SHELLS_OF_JAVASCRIPT, $: SHELLS_OF_JAVASCRIPT },
    },
  },
  {
    names: 'python python2 python3 py pypy3',
    code: '-c',
    module: '-m',
    values: '-W -X',
    flags: '-u -I -s -S -E -B -O -OO -q -v -b -d -i',
    lexis: { lineComments: ['#'], tripleQuotes: true },
    calls: {
      functions:
        'system popen run call check_call check_output Popen getoutput getstatusoutput spawnl spawnlp spawnv spawnvp spawnle spawnlpe execl execlp execle execlpe execv execvp execvpe posix_spawn posix_spawnp create_subprocess_shell create_subprocess_exec spawn',
      methods: {
        run: PROCESSES_OF_PYTHON,
        call: PROCESSES_OF_PYTHON,
        spawn: `${PROCESSES_OF_PYTHON} pty`,
      },
    },
  },
  {
    names: 'perl',
    code: '-e -E -ne -pe -le -lne -pi -we',
    values: '-I -M -m',
    flags: '-w -n -p -i -l -a -0',
    lexis: {
      lineComments: ['#'],
      backquotes: 'execute',
      quoteWords: true,
      interpolation: 'dollar',
    },
    calls: { functions: 'system exec', bare: true },
  },
  {
    names: 'ruby',
    code: '-e -ne -pe',
    values: '-I -r -C',
    flags: '-w -n -p -i -l',
    lexis: { lineComments: ['#'], backquotes: 'execute', quoteWords: true, interpolation: 'hash' },
    calls: {
      functions: 'system exec spawn popen popen2 popen2e popen3 capture2 capture2e capture3 sh',
      methods: { exec: 'Kernel Process' },
      bare: true,
    },
  },
  {
    names: 'php',
    code: '-r -B -R -E',
    values: '-d -c -f -S -t',
    flags: '-n -q',
    lexis: {
      lineComments: ['#', '//'],
      blockComments: true,
      backquotes: 'execute',
      interpolation: 'dollar',
    },
    calls: { functions: 'system exec shell_exec passthru proc_open popen pcntl_exec' },
  },
];
