/** Interpreters of scripting languages: searches their program (an option, a file, the input) for commands. */
import { basename, dirname, join } from 'node:path';
import {
  grammarOf,
  isOption,
  joined,
  type OptionList,
  readOption,
  type UsedOption,
  useOf,
  words,
} from '../../base/text/options.ts';
import { hasReleaseWord } from '../../base/text/release-words.ts';
import { noteProgramWrites } from '../guard/guarded-writes.ts';
import { noteAgentPackages } from '../guard/tampering.ts';
import {
  type Argv,
  type Frame,
  type Handler,
  inside,
  type Output,
  reportUnknown,
} from '../reader.ts';
import { pathsOf } from '../shell/redirect.ts';
import { isWhollyUnknown } from '../shell/unknown.ts';
import { type Calls, type Started, startedCommands } from './program-calls.ts';
import { reportMissing, withFile } from './shells.ts';
import { tokenize } from './tokens.ts';
import { packageProgram, runWrapped } from './wrapped.ts';

/** Options that check a program without running it. */
const CHECKS = words('node:--check nodejs:--check perl:-c ruby:-c php:-l');

/** Longer files are bundled or generated: most of what they could start does not run. */
const LONGEST_FILE = 100_000;

export const runInterpreter: Handler = (argv, frame) => {
  const name = basename(argv[0] ?? '');
  const language = languageOf(name) ?? languageOf(name.replace(/[\d.]+$/, ''));
  if (!language) return undefined;
  const { texts, module, script, file, rest, label } = readCall(argv, language);
  if (module !== undefined) return runModule(module, rest, language, inside(frame, `${name} -m`));
  if (script !== undefined) {
    return frame.reader.command(['npm', 'run', script, '--', ...rest], inside(frame, '--run'));
  }
  if (texts.length > 0) {
    for (const text of texts) runProgram(text, language, inside(frame, `${name} ${label}`));
    return undefined;
  }
  if (argv.some((it) => it === '--version' || CHECKS.has(`${name}:${it}`))) return [''];
  if (isOnInput(language, file)) runInput(name, language, frame);
  else if (file !== undefined && !language.onInput) {
    const second = inside(frame, name, { secondReading: true });
    frame.reader.command([nameOfFile(file), ...rest], second);
    if (!runFile(file, language, frame)) reportMissing(file, argv, frame);
  }
  return undefined;
};

const isOnInput = ({ onInput }: Language, file: string | undefined): boolean =>
  file === undefined || onInput === 'always' || (file === '-' && !onInput);

/** The input is the program's text, so the program itself reads none. */
function runInput(name: string, language: Language, frame: Frame): void {
  const state = frame.state.copy();
  state.inputs.delete(0);
  const input = inside(frame, `input of ${name}`, { stdin: () => [''], state });
  for (const text of frame.stdin()) runProgram(text, language, input);
}

/** @param loaded the files of the program that have been read: each is loaded once. */
function runFile(
  file: string,
  language: Language,
  frame: Frame,
  loaded = new Set<string>(),
): Output | undefined {
  const [path = file] = pathsOf(file, frame);
  if (loaded.has(path)) return [''];
  return withFile(file, frame, (text, within) => {
    loaded.add(path);
    if (text.length <= LONGEST_FILE) runProgram(text, language, within);
    else if (hasReleaseWord(text)) frame.reader.opaque('it is too long to read', [file], frame);
    // A loaded file is read no deeper than the file that loads it.
    const load = (it: string) => runFile(it, language, frame, loaded);
    if (text.length <= LONGEST_FILE && frame.reader.step(text.length, within))
      runImports(text, dirname(file), language, load, within);
    return [''];
  });
}

/** `python -m tools.release`: a file of the project, else an installed program. */
function runModule(module: string, rest: Argv, language: Language, frame: Frame): Output {
  const path = module.replaceAll('.', '/');
  const names = [path, `src/${path}`].flatMap((it) => [`${it}.py`, `${it}/__main__.py`]);
  for (const file of names) {
    const output = runFile(file, language, frame);
    if (output) return output;
  }
  return frame.reader.command([packageProgram(module), ...rest], frame);
}

const MOST_IMPORTS = 40;

/** Files of the project that a program loads: what they define may be called. */
function runImports(
  text: string,
  folder: string,
  { imports }: Language,
  run: (file: string) => Output | undefined,
  frame: Frame,
): void {
  if (!imports) return;
  let room = MOST_IMPORTS;
  for (const match of text.matchAll(imports.statement)) {
    const [name, members = ''] = match.slice(1).filter(Boolean);
    if (name === undefined) continue;
    room -= 1;
    if (room < 0) {
      frame.reader.opaque('it loads more files than are read', [name], frame);
      return;
    }
    const load = (it: string): string | undefined =>
      imports
        .files(it)
        .flatMap((file) => [join(folder, file), file])
        .find(run);
    // `from package import module`
    const isModule = load(name)?.endsWith('__init__.py') === false;
    const names = isModule ? [] : (members.match(/\w+/g)?.slice(0, room) ?? []);
    for (const it of names) load(`${name}.${it}`);
  }
}

/** `go run release.go`, `go run ./cmd/release`: its source is read. */
export const runGo: Handler = (argv, frame) => {
  const language = languageOf('go');
  const at = argv.indexOf('run');
  const target = at < 0 ? undefined : argv.slice(at + 1).find((it) => /\.go$|^\.{0,2}\//.test(it));
  if (language && target !== undefined) {
    const within = inside(frame, 'go run');
    const [folder] = pathsOf(target, frame);
    const listed = folder === undefined ? [] : (frame.reader.context.list?.(folder) ?? []);
    const files = target.endsWith('.go')
      ? [target]
      : ['main.go', ...listed.filter((it) => it.endsWith('.go'))].map((it) => `${target}/${it}`);
    for (const file of new Set(files)) runFile(file, language, within);
  }
  return runWrapped('go', argv, frame);
};

/** Reads a text as a program of the interpreter's language; it is shell text if no interpreter has that name. */
export function runProgramText(language: string, text: string, frame: Frame): void {
  const known = languageOf(basename(language));
  if (known) runProgram(text, known, frame);
  else frame.reader.script(text, frame);
}

/** The name under which rules know a program that is started through its interpreter. */
function nameOfFile(file: string): string {
  if (/^(?:npm|jsr):/.test(file)) return packageProgram(file);
  const base = basename(file);
  return file.includes('node_modules/') ? base.replace(/\.[cm]?js$/, '') : base;
}

/** Programs given as words (`-c`, `-e`), else a module or a file, with the words that it is given. */
function readCall(argv: Argv, language: Language) {
  const subcommand = argv[1] ?? '';
  if (words(language.evaluates).has(subcommand)) {
    return { texts: argv.slice(2, 3), rest: [], label: subcommand };
  }
  const { code, module: moduleOption = '', script: scriptOption = '' } = language;
  const list = joined(code, moduleOption, scriptOption, language.file, language.values);
  const grammar = grammarOf({ ...language, values: list });
  const options: UsedOption[] = [];
  let at = words(language.runs).has(subcommand) ? 2 : 1;
  while (isOption(argv[at]) && argv[at] !== '--') {
    const read = readOption(argv, at, grammar);
    at = read.next;
    options.push(...read.options);
    // What follows a module's name is the module's own.
    if (read.options.some(({ name }) => name === moduleOption)) break;
  }
  const { values, value } = useOf(options);
  const texts = values(...words(code));
  const [module, script] = [value(moduleOption), value(scriptOption)];
  if (module !== undefined || script !== undefined)
    return { texts, module, script, rest: argv.slice(at), label: moduleOption };
  const [first, ...rest] = argv.slice(argv[at] === '--' ? at + 1 : at);
  if (language.file === undefined || texts.length > 0)
    return { texts, file: first, rest, label: 'program' };
  const file = value(...words(language.file));
  return { texts: file === undefined ? [first ?? ''] : [], file, rest, label: 'program' };
}

function runProgram(text: string, language: Language, frame: Frame): void {
  if (text.trim() === '') return;
  if (language.editsText && isWhollyUnknown(text)) return;
  if (reportUnknown(text, frame)) return;
  const tokens = tokenize(text, language.calls);
  noteProgramWrites(tokens, frame);
  noteAgentPackages(text, frame);
  for (const match of language.lines ? text.matchAll(language.lines) : []) {
    const command = match.slice(1).find(Boolean) ?? '';
    frame.reader.script(command, inside(frame, 'command', { state: frame.state.copy() }));
  }
  for (const started of startedCommands(tokens, language.calls)) {
    runStarted(started, language, { ...frame, state: frame.state.copy() });
  }
}

function runStarted(started: Started, language: Language, frame: Frame): void {
  if (typeof started === 'string') {
    if (!frame.reader.step(started.length, frame)) return;
    frame.reader.script(started, inside(frame, 'shell text'));
  } else if ('program' in started) {
    runProgram(started.program, language, inside(frame, 'evaluated text'));
  } else if ('unknownCall' in started) {
    const why = `what \`${started.unknownCall}\` starts cannot be read from the command`;
    frame.reader.opaque(why, [], frame, 'may-release');
  } else frame.reader.command(started, frame);
}

interface Language extends OptionList {
  readonly names: string;
  readonly code: string;
  readonly module?: string;
  /** The option that runs a script of `package.json`. */
  readonly script?: string;
  readonly imports?: {
    readonly statement: RegExp;
    /** The files that a name may stand for, relative to the folder of the program. */
    readonly files: (name: string) => readonly string[];
  };
  /** The first word is the program, unless one of these options names the file: awk's `-f`. */
  readonly file?: string;
  /** The words are files to work on. The program is in options, and on the input: always, or if no file is given. */
  readonly onInput?: 'always' | 'alone';
  /** The programs edit text: an unknown one is taken for harmless. */
  readonly editsText?: true;
  /** Shell commands that stand in the text by themselves, captured: `!git push` of ed. */
  readonly lines?: RegExp;
  /** Subcommand whose next word is the program: `deno eval`. */
  readonly evaluates?: string;
  readonly runs?: string;
  readonly calls: Calls;
}

function languageOf(name: string): Language | undefined {
  return LANGUAGES.find(({ names }) => names.split(' ').includes(name));
}

const JAVASCRIPT_IMPORTS: Language['imports'] = {
  statement: /(?:\bfrom|\bimport\(?|\brequire\()\s*["'](\.[^"'\n]*)["']/g,
  files: (name) =>
    ['', '.js', '.ts', '.mjs', '.cjs', '.mts', '/index.js', '/index.ts']
      .map((it) => name + it)
      .concat(/\.[cm]?js$/.test(name) ? [name.replace(/js$/, 'ts')] : []),
};
const PYTHON_IMPORTS: Language['imports'] = {
  statement: /^\s*(?:from\s+(\.*[\w.]*)\s+import\s+(\([^)]*|[^\n#;]*)|import\s+([\w.]+))/gm,
  files: (name) => {
    const path = name.replace(/^\./, '').replaceAll('.', '/');
    return [`${path}.py`, `${path}/__init__.py`];
  },
};
const RUBY_IMPORTS: Language['imports'] = {
  statement: /\b(?:require_relative|load|require)\s*\(?\s*["']([\w./-]+)["']/g,
  files: (name) => [name, `${name}.rb`],
};

const SHELLS_OF_JAVASCRIPT =
  'cp child_process childProcess child proc shell shelljs sh execa ) Deno Bun process';
const PROCESSES_OF_PYTHON =
  'subprocess sp sub asyncio invoke c ctx context session pexpect local conn';

/** The commands stand in lines of their own. */
const NO_CALLS: Calls = { comments: '(?!)', functions: '' };

/** `:!git push` and `:call system('git push')` of vi. */
const EDITOR = {
  code: '-c --cmd',
  lines: /(?:^|[|:\n])\s*(?:silent\s*)?[\d$,%rw ]*!\s*([^\n|]+)/g,
  calls: { comments: '"[^\n"]*$', functions: 'system systemlist termopen jobstart job_start' },
} as const;

const C_COMMENTS = '//[^\\n]*|/\\*[^]*?(?:\\*/|$)';

const LANGUAGES: readonly Language[] = [
  {
    names: 'node nodejs tsx ts-node deno zx bun',
    code: '-e --eval -p --print -pe',
    values:
      '-r --require --import --loader --experimental-loader --env-file --max-old-space-size -C --conditions --input-type --tsconfig -c --config --cert --filter -F --cwd',
    script: '--run',
    imports: JAVASCRIPT_IMPORTS,
    evaluates: 'eval',
    runs: 'run',
    calls: {
      comments: C_COMMENTS,
      functions:
        'exec execSync spawn spawnSync execFile execFileSync execa execaSync execaCommand execaCommandSync $ Command',
      methods: { exec: SHELLS_OF_JAVASCRIPT, spawn: SHELLS_OF_JAVASCRIPT, $: SHELLS_OF_JAVASCRIPT },
      gitLibraries: 'simpleGit simple-git isomorphic-git nodegit',
      evaluates: 'eval Function',
    },
  },
  {
    names: 'python python2 python3 py pypy3',
    code: '-c',
    module: '-m',
    imports: PYTHON_IMPORTS,
    values: '-W -X',
    calls: {
      comments: '#[^\n]*',
      functions:
        'system popen run call check_call check_output Popen getoutput getstatusoutput spawnl spawnlp spawnv spawnvp spawnle spawnlpe execl execlp execle execlpe execv execvp execvpe posix_spawn posix_spawnp create_subprocess_shell create_subprocess_exec spawn',
      methods: {
        run: PROCESSES_OF_PYTHON,
        call: PROCESSES_OF_PYTHON,
        spawn: `${PROCESSES_OF_PYTHON} pty`,
      },
      gitLibraries: 'Repo pygit2 dulwich porcelain sh git',
      evaluates: 'exec eval',
    },
  },
  {
    names: 'perl',
    code: '-e -E -ne -pe -le -lne -pi -we',
    values: '-I -M -m',
    calls: {
      comments: '#[^\n]*',
      executesQuotes: true,
      functions: 'system exec open2 open3 run capture',
      bare: true,
    },
  },
  {
    names: 'ruby',
    code: '-e -ne -pe',
    imports: RUBY_IMPORTS,
    values: '-I -r -C',
    calls: {
      comments: '#[^\n]*',
      executesQuotes: true,
      functions: 'system exec spawn popen popen2 popen2e popen3 capture2 capture2e capture3 sh',
      evaluates: 'eval instance_eval',
      methods: { exec: 'Kernel Process' },
      bare: true,
    },
  },
  {
    names: 'php',
    code: '-r -B -R -E',
    values: '-d -c -f -S -t',
    calls: {
      comments: `#[^\n]*|${C_COMMENTS}`,
      executesQuotes: true,
      evaluates: 'eval',
      functions: 'system exec shell_exec passthru proc_open popen pcntl_exec',
    },
  },
  {
    names: 'groovy',
    code: '-e',
    calls: {
      comments: C_COMMENTS,
      functions: 'commandLine executable',
      bare: true,
      onText: 'execute',
    },
  },
  // Only task files and `go run` name programs of Go as source: others are compiled before they run.
  {
    names: 'go',
    code: '',
    calls: {
      comments: C_COMMENTS,
      functions: 'Run RunV RunWith RunWithV Output OutCmd RunCmd Command CommandContext Exec',
    },
  },
  {
    names: 'awk gawk mawk',
    code: '-e --source',
    file: '-f --file',
    values: '-F -v -i --field-separator --assign',
    calls: { comments: '#[^\n]*', functions: 'system', pipes: true },
  },
  {
    names: 'sed gsed',
    editsText: true,
    code: '-e --expression',
    file: '-f --file',
    values: '-l',
    lines: /(?:^|[;\n{])[\d$,]*e[ \t]+([^;\n]+)/g,
    calls: NO_CALLS,
  },
  {
    names: 'lua luajit osascript jshell sbcl clisp guile erl swift scala ghc emacs',
    code: '-e -eval --eval -c -E --print --execute',
    values: '-l',
    calls: {
      comments: '(?:;;|--)[^\n]*',
      functions: 'execute popen system cmd exec process program callCommand Process script command',
    },
  },
  {
    names: 'julia elixir Rscript R littler tclsh wish expect',
    code: '-e --eval -E -c --print',
    values: '-l -f',
    lines: /(?:^|[;\n[{])\s*(?:exec|spawn|system)\s+([^;\n\]}]+)/g,
    calls: {
      comments: '#[^\n]*',
      executesQuotes: true,
      functions:
        'execute popen cmd readchomp system system2 shell run exec_wait exec_internal exec_background',
      methods: { run: 'processx )', cmd: 'System os', shell: 'System' },
      list: 'c',
      releases: 'submit_cran deployApp deployDoc deploySite deploy_to_branch',
      evaluates: 'eval source',
    },
  },
  { names: 'vi vim nvim', onInput: 'alone', ...EDITOR },
  { names: 'ed ex', onInput: 'always', ...EDITOR },
];

/** The programs that only this table knows. `node` and `go` have their own rules; `bun`, `deno`, `go` run tasks. */
export const INTERPRETERS = LANGUAGES.filter(({ names }) => !/^(?:node|go)\b/.test(names))
  .map(({ names }) => names)
  .concat('node nodejs tsx ts-node zx')
  .join(' ');
