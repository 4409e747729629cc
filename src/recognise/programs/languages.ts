/** Scripting languages: how their programs are given, spelled, and start other programs. */
import type { Calls } from './program-calls.ts';
import type { Lexis } from './program-tokens.ts';

export interface Language {
  readonly names: string;
  /** Options whose value is the program. */
  readonly code: string;
  /** The option that runs a module by name: python's `-m`. */
  readonly module: string;
  readonly values: string;
  readonly flags: string;
  /** Subcommand whose next word is the program: `deno eval`. */
  readonly evaluates: string;
  /** Subcommand before a file: `deno run`. */
  readonly runs: string;
  /** Without options the first word is the program, as awk has it. */
  readonly firstIsProgram: boolean;
  /** Without a file the program is its input. */
  readonly readsInput: boolean;
  readonly lexis: Lexis;
  readonly calls: Calls;
}

const NONE = { module: '-\0', evaluates: '-', runs: '-', firstIsProgram: false, readsInput: true };

let languages: readonly Language[] | undefined;

export function languageOf(name: string): Language | undefined {
  languages ??= [
    javascript(),
    python(),
    perl(),
    ruby(),
    php(),
    lua(),
    awk(),
    applescript(),
    statistics(),
    julia(),
  ];
  return languages.find((it) => it.names.split(' ').includes(name));
}

function javascript(): Language {
  const owners = new Set([
    'cp',
    'child_process',
    'childProcess',
    'child',
    'proc',
    'shell',
    'shelljs',
    'sh',
    'execa',
    ')',
    'Deno',
    'Bun',
    'process',
  ]);
  return {
    ...NONE,
    names: 'node nodejs tsx ts-node deno zx bun',
    code: '-e --eval -p --print -pe',
    values:
      '-r --require --import --loader --experimental-loader --env-file --max-old-space-size -C --conditions --input-type --tsconfig -c --config --cert',
    flags:
      '--inspect --inspect-brk --watch --test --check --trace-warnings --no-warnings --experimental-strip-types --allow-all -A --allow-run --allow-read --allow-net --allow-env --allow-write --quiet -q',
    evaluates: 'eval',
    runs: 'run',
    lexis: {
      lineComments: ['//'],
      blockComments: true,
      tripleQuotes: false,
      backquotes: 'template',
      interpolation: 'none',
      quoteWords: false,
    },
    calls: {
      functions: new Set([
        'exec',
        'execSync',
        'spawn',
        'spawnSync',
        'execFile',
        'execFileSync',
        'execa',
        'execaSync',
        'execaCommand',
        'execaCommandSync',
        '$',
        'Command',
      ]),
      methods: { exec: owners, spawn: owners, $: owners },
      bare: false,
    },
  };
}

function python(): Language {
  const processes = new Set([
    'subprocess',
    'sp',
    'sub',
    'asyncio',
    'invoke',
    'c',
    'ctx',
    'context',
    'session',
    'pexpect',
    'local',
    'conn',
  ]);
  return {
    ...NONE,
    names: 'python python2 python3 py pypy3',
    code: '-c',
    module: '-m',
    values: '-W -X',
    flags: '-u -I -s -S -E -B -O -OO -q -v -b -d -i',
    lexis: {
      lineComments: ['#'],
      blockComments: false,
      tripleQuotes: true,
      backquotes: 'none',
      interpolation: 'none',
      quoteWords: false,
    },
    calls: {
      functions: new Set([
        'system',
        'popen',
        'run',
        'call',
        'check_call',
        'check_output',
        'Popen',
        'getoutput',
        'getstatusoutput',
        'spawnl',
        'spawnlp',
        'spawnv',
        'spawnvp',
        'spawnle',
        'spawnlpe',
        'execl',
        'execlp',
        'execle',
        'execlpe',
        'execv',
        'execvp',
        'execvpe',
        'posix_spawn',
        'posix_spawnp',
        'create_subprocess_shell',
        'create_subprocess_exec',
        'spawn',
      ]),
      methods: { run: processes, call: processes, spawn: new Set([...processes, 'pty']) },
      bare: false,
    },
  };
}

const SCRIPTS = {
  lineComments: ['#'],
  blockComments: false,
  tripleQuotes: false,
  backquotes: 'execute',
  quoteWords: true,
} as const;

function perl(): Language {
  return {
    ...NONE,
    names: 'perl',
    code: '-e -E -ne -pe -le -lne -pi -we',
    values: '-I -M -m',
    flags: '-w -n -p -i -l -a -0',
    lexis: { ...SCRIPTS, interpolation: 'dollar' },
    calls: { functions: new Set(['system', 'exec']), bare: true },
  };
}

function ruby(): Language {
  return {
    ...NONE,
    names: 'ruby',
    code: '-e -ne -pe',
    values: '-I -r -C',
    flags: '-w -n -p -i -l',
    lexis: { ...SCRIPTS, interpolation: 'hash' },
    calls: {
      functions: new Set([
        'system',
        'exec',
        'spawn',
        'popen',
        'popen2',
        'popen2e',
        'popen3',
        'capture2',
        'capture2e',
        'capture3',
        'sh',
      ]),
      methods: { exec: new Set(['Kernel', 'Process']) },
      bare: true,
    },
  };
}

function php(): Language {
  return {
    ...NONE,
    names: 'php',
    code: '-r -B -R -E',
    values: '-d -c -f -S -t',
    flags: '-n -q',
    lexis: {
      lineComments: ['#', '//'],
      blockComments: true,
      tripleQuotes: false,
      backquotes: 'execute',
      interpolation: 'dollar',
      quoteWords: false,
    },
    calls: {
      functions: new Set([
        'system',
        'exec',
        'shell_exec',
        'passthru',
        'proc_open',
        'popen',
        'pcntl_exec',
      ]),
      bare: false,
    },
  };
}

function lua(): Language {
  return {
    ...NONE,
    names: 'lua',
    code: '-e',
    values: '-l',
    flags: '-i -v',
    lexis: {
      lineComments: ['--'],
      blockComments: false,
      tripleQuotes: false,
      backquotes: 'none',
      interpolation: 'none',
      quoteWords: false,
    },
    calls: { functions: new Set(['execute', 'popen']), bare: true },
  };
}

function awk(): Language {
  return {
    ...NONE,
    names: 'awk gawk mawk',
    code: '-e --source',
    values: '-F -v -f -i --field-separator --assign --file',
    flags: '',
    firstIsProgram: true,
    readsInput: false,
    lexis: {
      lineComments: ['#'],
      blockComments: false,
      tripleQuotes: false,
      backquotes: 'none',
      interpolation: 'none',
      quoteWords: false,
    },
    calls: { functions: new Set(['system']), bare: false, pipes: true },
  };
}

function applescript(): Language {
  return {
    ...NONE,
    names: 'osascript',
    code: '-e',
    values: '-l',
    flags: '-i',
    lexis: {
      lineComments: ['--'],
      blockComments: false,
      tripleQuotes: false,
      backquotes: 'none',
      interpolation: 'none',
      quoteWords: false,
    },
    calls: { functions: new Set(['script']), bare: true },
  };
}

function statistics(): Language {
  return {
    ...NONE,
    names: 'Rscript R',
    code: '-e',
    values: '-g -f',
    flags: '--vanilla --slave --quiet -q',
    lexis: { ...SCRIPTS, backquotes: 'none', interpolation: 'none', quoteWords: false },
    calls: { functions: new Set(['system', 'system2', 'shell', 'run']), bare: false },
  };
}

function julia(): Language {
  return {
    ...NONE,
    names: 'julia',
    code: '-e --eval -E --print',
    values: '-J -C -t -p --project -L',
    flags: '-q -i --startup-file',
    lexis: { ...SCRIPTS, tripleQuotes: true, interpolation: 'dollar', quoteWords: false },
    calls: { functions: new Set([]), bare: false },
  };
}
