/** `read` and `mapfile`: variables filled from the input. */
import type { Frame } from '../reader.ts';
import { lookUp } from './parameter.ts';
import { distinct, limited, plain, UNKNOWN_ARRAY, UNKNOWN_VALUE, type Value } from './unknown.ts';

const READ_VALUES = new Set(['-d', '-i', '-n', '-N', '-p', '-t', '-u']);
const MAPFILE_VALUES = new Set(['-d', '-n', '-O', '-s', '-u', '-C', '-c']);

/** The words after the options of a builtin. */
export function afterOptions(
  argv: readonly string[],
  values: ReadonlySet<string>,
): readonly string[] {
  let at = 1;
  while (at < argv.length) {
    const word = argv[at] ?? '';
    if (word === '--') return argv.slice(at + 1);
    if (!word.startsWith('-') || word === '-') break;
    at += values.has(word) ? 2 : 1;
  }
  return argv.slice(at);
}

/** `read x` takes one line of its input; in a loop it may be any line. */
export function readLine(argv: readonly string[], frame: Frame): undefined {
  const names = afterOptions(argv, READ_VALUES);
  const lines = frame.stdin().flatMap((text) => text.split('\n').filter((it) => it !== ''));
  const ifs = lookUp('IFS', frame)[0]?.[0] ?? ' \t\n';
  const rows = lines.map((line) => wordsOf(line, ifs));
  const { variables } = frame.state;
  const [first = 'REPLY'] = names;
  if (argv.some((it) => /^-r?a$/.test(it))) {
    variables.set(first, rows.length > 0 ? limited(rows) : UNKNOWN_ARRAY);
  } else if (names.length <= 1) {
    variables.set(first, possible(lines));
  } else {
    for (const [at, name] of names.entries()) {
      const rest = at === names.length - 1;
      const texts = rows.map((row) => (rest ? row.slice(at).join(' ') : (row[at] ?? '')));
      variables.set(name, possible(texts));
    }
  }
}

function possible(texts: readonly string[]): Value {
  return texts.length > 0 ? plain(distinct(texts)) : UNKNOWN_VALUE;
}

function wordsOf(line: string, ifs: string): readonly string[] {
  const words = [''];
  for (const char of line.trim()) {
    if (ifs.includes(char)) words.push('');
    else words.push((words.pop() ?? '') + char);
  }
  return /^\s*$/.test(ifs) ? words.filter((it) => it !== '') : words;
}

/** `mapfile x`: how many lines the input has is not known. */
export function readLines(argv: readonly string[], frame: Frame): undefined {
  const [name = 'MAPFILE'] = afterOptions(argv, MAPFILE_VALUES);
  frame.state.variables.set(name, UNKNOWN_ARRAY);
}
