/** `sh`, `bash` and other shells: `-c` text, a script file, or a script on their input. */
import { type Handler, inside } from '../reader.ts';
import { ShellState } from '../shell/shell-state.ts';
import { runShellFile } from './script-file.ts';
import { runWrapped } from './wrapped.ts';

interface ShellCall {
  readonly text: string | undefined;
  readonly file: string | undefined;
  readonly args: readonly string[];
  /** `-n`: the syntax is checked, nothing runs. */
  readonly checksOnly: boolean;
}

export const runShell: Handler = (argv, frame) => {
  const call = readCall(argv);
  if (call.checksOnly) return [''];
  const name = argv[0] ?? 'sh';
  const state = frame.state.copy();
  state.aliases.clear();
  state.ended = false;
  if (call.text !== undefined) {
    state.parameters = [call.args.slice(1)];
    state.variables.set('0', [[call.args[0] ?? name]]);
    return frame.reader.script(call.text, inside(frame, `${name} -c`, { state }));
  }
  if (call.file !== undefined && call.file !== '-') {
    // `sh gradlew publish`: the rules know the program by its own name.
    const program = [call.file.slice(call.file.lastIndexOf('/') + 1), ...call.args];
    frame.reader.command(
      program,
      inside(frame, name, { secondReading: true, state: state.copy() }),
    );
    return runShellFile(call.file, call.args, { ...frame, state });
  }
  state.parameters = [call.args];
  const within = inside(frame, `input of ${name}`, { state, stdin: () => [''] });
  return frame.stdin().flatMap((text) => frame.reader.script(text, within));
};

const LONG_WITH_VALUE = new Set(['--rcfile', '--init-file']);

function readCall(argv: readonly string[]): ShellCall {
  const { flags, operands } = readFlags(argv);
  const [first, ...rest] = operands;
  const checksOnly = flags.includes('n');
  if (flags.includes('c')) return { text: first ?? '', file: undefined, args: rest, checksOnly };
  const file = flags.includes('s') ? undefined : first;
  return { text: undefined, file, args: file === undefined ? operands : rest, checksOnly };
}

/** The letters of the shell's switches, and the words after them. */
function readFlags(argv: readonly string[]): { flags: string; operands: readonly string[] } {
  let flags = '';
  let at = 1;
  while (/^[-+]./.test(argv[at] ?? '') && argv[at] !== '--') {
    const word = argv[at] ?? '';
    if (word === '--help' || word === '--version') flags += 'n';
    else if (/^-\w/.test(word)) flags += word;
    at += LONG_WITH_VALUE.has(word) || /^[-+]\w*[oO]$/.test(word) ? 2 : 1;
  }
  const marked = argv[at] === '--' || argv[at] === '-';
  return { flags, operands: argv.slice(marked ? at + 1 : at) };
}

/** `at now <<< "git push"`: the input is a shell program. */
export const runInput: Handler = (argv, frame) => {
  const name = argv[0] ?? '';
  const change = { state: frame.state.copy(), stdin: () => [''] };
  const within = inside(frame, `input of ${name}`, change);
  return frame.stdin().flatMap((text) => frame.reader.script(text, within));
};

/** `ssh host`, `su user`: their arguments if they name a command, else their input. */
export const runOnInput: Handler = (argv, frame) => {
  const name = argv[0] ?? '';
  const output = runWrapped(name, argv, frame);
  if (output) return output;
  const texts = frame.stdin();
  if (texts.every((text) => text === '')) return undefined;
  const change = { state: new ShellState([undefined]), stdin: () => [''] };
  const within = inside(frame, `input of ${name}`, change);
  return texts.flatMap((text) => frame.reader.script(text, within));
};
