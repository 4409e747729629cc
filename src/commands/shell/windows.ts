/** `powershell` and `cmd`: what their command lines run, and the language of cmd. */
import { words } from '../../base/text/options.ts';
import { withFile } from '../programs/shells.ts';
import { type Frame, type Handler, inside } from '../reader.ts';
import { readPowerShell } from './powershell.ts';
import { UNKNOWN } from './unknown.ts';

/** Options of PowerShell that take a value. */
const WITH_VALUE = words(
  '-ex -executionpolicy -ep -version -wd -workingdirectory -outputformat -inputformat -configurationname',
);

export const runPowerShell: Handler = (argv, frame) => {
  for (let at = 1; at < argv.length; at += 1) {
    const word = (argv[at] ?? '').toLowerCase();
    const read = OPTIONS.find(([option]) => option.test(word))?.[1];
    if (read) return read(argv.slice(at + 1), frame);
    if (WITH_VALUE.has(word)) at += 1;
    else if (!word.startsWith('-')) return runScript(argv.slice(at), frame);
  }
  const input = inside(frame, 'input of PowerShell');
  for (const text of frame.stdin()) readPowerShell(text, input);
};

/** Options that say what runs, in the spellings that PowerShell takes. */
const OPTIONS: readonly (readonly [
  RegExp,
  (rest: readonly string[], frame: Frame) => undefined,
])[] = [
  [
    /^-(?:c|co|com|comm|comma|comman|command|cwa|commandwithargs)$/,
    (rest, frame) => readText(rest.join(' '), 'PowerShell command', frame),
  ],
  [
    /^-(?:e|ec|en|enc|enco|encod|encode|encoded|encodedcommand)$/,
    ([text = ''], frame) =>
      readText(
        Buffer.from(text, 'base64').toString('utf16le'),
        'encoded PowerShell command',
        frame,
      ),
  ],
  [/^-(?:f|fi|fil|file)$/, runScript],
];

function readText(text: string, where: string, frame: Frame): undefined {
  readPowerShell(text, inside(frame, where));
}

/** A script by its file, else words of a command. */
function runScript(rest: readonly string[], frame: Frame): undefined {
  const name = (rest[0] ?? '').replace(/^\.\\/, './');
  if (!/\.ps1$/i.test(name)) return readText(rest.join(' '), 'PowerShell command', frame);
  withFile(name, frame, (text, within) => {
    readPowerShell(text, within);
    return [''];
  });
}

/** `… | iex`, and `iex "…"`. */
export const runExpression: Handler = (argv, frame) => {
  const texts = argv.length > 1 ? [argv.slice(1).join(' ')] : frame.stdin();
  for (const text of texts) readPowerShell(text, inside(frame, argv[0] ?? 'iex'));
};

export const runCmd: Handler = (argv, frame) => {
  const at = argv.findIndex((it) => /^\/\/?[ckCK]$/.test(it));
  if (at < 0) return undefined;
  readCmd(argv.slice(at + 1).join(' '), new Map(), inside(frame, 'cmd /c'));
};

type Variables = Map<string, string>;

function readCmd(text: string, variables: Variables, frame: Frame): void {
  // cmd removes a pair of quotes around the whole text.
  const inner = /^"(.*)"$/s.exec(text.trim())?.[1] ?? text;
  const { statements, complete } = cmdStatements(inner);
  for (const statement of statements) runStatement(statement, variables, frame);
  if (!complete) frame.reader.opaque('it is too long to read', [inner.slice(0, 200)], frame);
}

/** What stands before a command: `@`, `call`, `do`, `else`, `if …`, `start …`. */
const BEFORE =
  /^(?:@|(?:call|do|else)\s+|if\s+(?:\/i\s+)?(?:not\s+)?(?:(?:exist|errorlevel|defined)\s+(?:"[^"]*"|\S+)|\S+\s*(?:==|equ|neq|lss|leq|gtr|geq)\s*\S+)\s+|start\s+(?:(?:\/\w+(?:\s+\d+)?|"[^"]*")\s+)*)/i;
const PRINTS = words(
  'echo rem set type dir title exit goto setlocal endlocal for pause ver find findstr more',
);

function runStatement(given: string, variables: Variables, frame: Frame): void {
  let text = given.trim();
  for (let before = BEFORE.exec(text); before; before = BEFORE.exec(text)) {
    text = text.slice(before[0].length).trim();
  }
  const [, name, value] = /^set\s+(?:\/a\s+)?"?(\w+)=([^"]*)/i.exec(text) ?? [];
  if (name !== undefined) variables.set(name.toLowerCase(), value ?? '');
  const argv = wordsOf(text, variables);
  const [program = ''] = argv;
  if (program === '' || program.startsWith(':') || PRINTS.has(program.toLowerCase())) return;
  if (!/\.(?:bat|cmd)$/i.test(program)) frame.reader.command(argv, frame);
  else {
    withFile(program.replace(/^\.\\/, './'), frame, (script, within) => {
      const body = script.replace(/\^\r?\n/g, '').replace(/^\s*(?::|@?rem\b).*$/gim, '');
      readCmd(body, variables, within);
      return [''];
    });
  }
}

const MOST_STATEMENTS = 2_000;

/** Parts between `&`, `|`, brackets and line ends, outside of quotes. */
function cmdStatements(text: string): { statements: readonly string[]; complete: boolean } {
  const parts = text.match(/(?:"[^"\n]*"?|\^[\s\S]|[^"^&|()\n])+/g) ?? [];
  return { statements: parts.slice(0, MOST_STATEMENTS), complete: parts.length <= MOST_STATEMENTS };
}

function wordsOf(text: string, variables: Variables): readonly string[] {
  const filled = text.replace(/%(\w+)%|!(\w+)!|%%?~?\w/g, (_, name?: string, late?: string) => {
    const key = (name ?? late)?.toLowerCase();
    return (key === undefined ? undefined : variables.get(key)) ?? UNKNOWN;
  });
  const found = filled.match(/(?:"[^"]*"?|\^.|[^\s"^])+/g) ?? [];
  return found.map((it) => it.replace(/\^(.)/g, '$1').replaceAll('"', ''));
}
