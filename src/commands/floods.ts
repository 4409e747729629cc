/**
 * Commands whose output is known to be large before they run, by the size of what they print. A command that only a
 * shell can read, or whose output goes into a pipe or a file, does not count.
 */
import { readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import { shellWord } from '../base/text/shell-quote.ts';

export interface Flood {
  readonly bytes: number;
  /** The command that shows a part of the output. */
  readonly instead: string;
}

interface Row {
  readonly command: RegExp;
  readonly example: string;
  /** The least number of bytes that it prints with these further words. */
  readonly bytes: (words: readonly string[], cwd: string) => number;
  readonly instead: (words: readonly string[]) => string;
}

/** Bytes that are printed for each byte of a lock file, and of a packed file. */
const LISTED = 1 / 8;
const UNPACKED = 3;
const DEPENDENCIES = ['node_modules', 'vendor'];
/** The bytes of a listing for one package. */
const PACKAGE_BYTES = 600;

const operands = (words: readonly string[]) => words.filter((it) => !it.startsWith('-'));

const sizeOf = (cwd: string, path: string): number => {
  const stats = attempt(() => statSync(resolve(cwd, path)));
  return stats?.isFile() ? stats.size : 0;
};

const filesOf = (words: readonly string[], cwd: string): number =>
  operands(words).reduce((sum, it) => sum + sizeOf(cwd, it), 0);

const lastOf = (words: readonly string[]): string => shellWord(operands(words).at(-1) ?? 'FILE');

const part = (words: readonly string[]): string => {
  const file = lastOf(words);
  return `head -c 4000 ${file}\`, \`tail -n 80 ${file}\` or \`grep -n WORD ${file}`;
};

/** Only files in folders of dependencies are estimated, because no tree is walked. */
function listed(words: readonly string[], cwd: string): number {
  const [root = '.'] = operands(words);
  const count = (it: string) => attempt(() => readdirSync(resolve(cwd, root, it)).length) ?? 0;
  return DEPENDENCIES.reduce((sum, it) => sum + count(it) * PACKAGE_BYTES, 0);
}

/** The first matching row counts. */
export const ROWS: readonly Row[] = [
  {
    command:
      /^(?:cat|bat|nl|tac|sort|strings|xxd|hexdump|od|base64|jq (?:-\w )?'?\.'?|python3? -m json\.tool)(?= )/,
    example: 'cat dump.sql',
    bytes: filesOf,
    instead: part,
  },
  {
    command: /^(?:zcat|gzcat|gunzip -c|xzcat|bzcat)(?= )/,
    example: 'zcat dump.sql.gz',
    bytes: (words, cwd) => filesOf(words, cwd) * UNPACKED,
    instead: (words) => `zcat ${lastOf(words)} | head -c 4000`,
  },
  {
    command: /^(?:npm (?:ls|list|ll)(?=.* (?:--all|-a|--depth[= ](?:[4-9]|\d\d|Infinity))\b))/,
    example: 'npm ls --all',
    bytes: (_, cwd) => sizeOf(cwd, 'package-lock.json') * LISTED,
    instead: () => 'npm ls --depth=0`, or `npm ls PACKAGE',
  },
  {
    command:
      /^(?:ls(?=.* -\w*R)|tree(?!.* -\w*[LI])|du -\w*a(?!.* -\w*[ds])|find(?!.* -(?:maxdepth|i?name|i?path|i?regex|prune|newer|size|quit|delete|exec|mtime|mmin)))/,
    example: 'find .',
    bytes: listed,
    instead: () => 'git ls-files | head -n 200',
  },
];

/** Characters that need a shell, or send the output elsewhere. */
const NOT_PLAIN = /[|<>&;`$(){}*?\n\\]/;

/** @param limit in bytes. */
export function floodOf(command: string, cwd: string, limit: number): Flood | undefined {
  const [, folder = '.', plain = ''] = /^\s*(?:cd ([\w./@-]+) && )?(.*?)\s*$/s.exec(command) ?? [];
  if (NOT_PLAIN.test(plain)) return undefined;
  const row = ROWS.find((it) => it.command.test(`${plain} `));
  if (row === undefined) return undefined;
  const [start = ''] = row.command.exec(`${plain} `) ?? [];
  const rest = plain.slice(start.length).match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  const words = rest.map((it) => it.replace(/^(["'])(.*)\1$/, '$2'));
  const bytes = row.bytes(words, resolve(cwd, folder));
  return bytes > limit ? { bytes, instead: row.instead(words) } : undefined;
}
