/**
 * PowerShell and cmd: a small tokenizer, since a bash parser reads neither. It separates
 * statements, removes quotes, and passes on the words of each command.
 */
import { words } from '../../text/options.ts';
import { type Frame, type Handler, inside, reportUnknown } from '../reader.ts';
import { UNKNOWN } from './unknown.ts';

/** Options of PowerShell that take a value. */
const WITH_VALUE = words(
  '-f -file -ex -executionpolicy -ep -version -wd -workingdirectory -outputformat -inputformat -configurationname',
);

export const runPowerShell: Handler = (argv, frame) => {
  for (let at = 1; at < argv.length; at += 1) {
    const word = (argv[at] ?? '').toLowerCase();
    if (/^-(c|co|com|comm|comma|comman|command)$/.test(word)) {
      readPowerShell(argv.slice(at + 1).join(' '), inside(frame, 'PowerShell command'));
      return undefined;
    }
    if (/^-(e|ec|en|enc|enco|encod|encode|encoded|encodedcommand)$/.test(word)) {
      const text = Buffer.from(argv[at + 1] ?? '', 'base64').toString('utf16le');
      readPowerShell(text, inside(frame, 'encoded PowerShell command'));
      return undefined;
    }
    if (WITH_VALUE.has(word)) at += 1;
    else if (!word.startsWith('-')) {
      readPowerShell(argv.slice(at).join(' '), inside(frame, 'PowerShell command'));
      return undefined;
    }
  }
};

export const runCmd: Handler = (argv, frame) => {
  const at = argv.findIndex((it) => /^\/\/?[ckCK]$/.test(it));
  if (at < 0) return undefined;
  readCmd(argv.slice(at + 1).join(' '), inside(frame, 'cmd /c'));
};

/** `… | iex`, and `iex "…"`. */
export const runExpression: Handler = (argv, frame) => {
  const texts = argv.length > 1 ? [argv.slice(1).join(' ')] : frame.stdin();
  for (const text of texts) readPowerShell(text, inside(frame, argv[0] ?? 'iex'));
};

export function readPowerShell(text: string, frame: Frame): void {
  if (reportUnknown(text, frame)) return;
  for (const statement of statements(text, POWERSHELL)) runWords(statement, frame);
}

function readCmd(text: string, frame: Frame): void {
  // cmd removes a pair of quotes around the whole text.
  const inner = /^"(.*)"$/s.exec(text.trim())?.[1] ?? text;
  for (const [first = '', ...rest] of statements(inner, CMD)) {
    const called = first.toLowerCase() === 'call';
    runWords(called ? rest : [first.replace(/^@/, ''), ...rest], frame);
  }
}

const SKIPPED = words(
  '& . if else elseif foreach while do try catch finally return start invoke-command',
);
const EVALUATES = words('invoke-expression iex');
const STARTS = words('start-process saps');

function runWords(argv: readonly string[], frame: Frame): void {
  let at = 0;
  while (SKIPPED.has((argv[at] ?? '').toLowerCase())) at += 1;
  const [first, ...rest] = argv.slice(at);
  if (first === undefined) return;
  const name = first.toLowerCase();
  if (EVALUATES.has(name)) readPowerShell(rest.join(' '), inside(frame, first));
  else if (STARTS.has(name)) {
    const plain = rest.filter((it) => !it.startsWith('-')).flatMap((it) => it.split(/[\s,]+/));
    frame.reader.command(plain, inside(frame, first));
  } else if (!PRINTS.has(name)) frame.reader.command([first, ...rest], frame);
}

/** Commands of these shells that only print or read. */
const PRINTS = words(
  'echo write-output write-host rem set type dir cd set-location exit param function',
);

interface Syntax {
  readonly escape: string;
  readonly singleQuotes: boolean;
  readonly separators: string;
  readonly variable: RegExp;
}

const POWERSHELL: Syntax = {
  escape: '`',
  singleQuotes: true,
  separators: ';|&{}()\n',
  variable: /^\$[\w:?{}]+/,
};
const CMD: Syntax = { escape: '^', singleQuotes: false, separators: '&|()\n', variable: /^%\w+%/ };

const MOST_STATEMENTS = 400;

function statements(text: string, syntax: Syntax): readonly (readonly string[])[] {
  const all: string[][] = [];
  let statement: string[] = [];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) statement.push(word);
    word = undefined;
  };
  const endStatement = (): void => {
    endWord();
    if (statement.length > 0) all.push(statement);
    statement = [];
  };
  for (let at = 0; at < text.length && all.length < MOST_STATEMENTS; ) {
    const piece = nextPiece(text, at, syntax, word === undefined);
    at = piece.end;
    if (piece.kind === 'text') word = (word ?? '') + piece.text;
    else if (piece.kind === 'blank') endWord();
    else endStatement();
  }
  endStatement();
  return all;
}

type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly end: number }
  | { readonly kind: 'blank' | 'separator'; readonly end: number };

function nextPiece(text: string, at: number, syntax: Syntax, startsWord: boolean): Piece {
  const char = text[at] as string;
  if (char === '"' || (char === "'" && syntax.singleQuotes)) {
    const end = closingQuote(text, at, syntax);
    const inner = withoutValues(text.slice(at + 1, end), char, syntax);
    return { kind: 'text', text: inner, end: end + 1 };
  }
  if (char === syntax.escape) {
    const next = text[at + 1] ?? '';
    return { kind: 'text', text: /[\r\n]/.test(next) ? '' : next, end: at + 2 };
  }
  if (char === '#' && startsWord && syntax.singleQuotes) {
    const end = text.indexOf('\n', at);
    return { kind: 'blank', end: end < 0 ? text.length : end };
  }
  if (syntax.separators.includes(char)) return { kind: 'separator', end: at + 1 };
  if (/\s/.test(char)) return { kind: 'blank', end: at + 1 };
  const variable = syntax.variable.exec(text.slice(at, at + 80));
  return variable
    ? { kind: 'text', text: UNKNOWN, end: at + variable[0].length }
    : { kind: 'text', text: char, end: at + 1 };
}

function closingQuote(text: string, open: number, syntax: Syntax): number {
  const quote = text[open];
  for (let at = open + 1; at < text.length; at += 1) {
    if (text[at] === syntax.escape && quote === '"') at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

function withoutValues(text: string, quote: string, syntax: Syntax): string {
  if (quote === "'") return text;
  return syntax.singleQuotes
    ? text.replace(/\$[\w:?]+|\$\{[^}]*\}/g, UNKNOWN)
    : text.replace(/%\w+%/g, UNKNOWN);
}
