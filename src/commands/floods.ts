/**
 * Commands whose output is known to be large before they run, by the size of what they print. One whose output goes
 * into a pipe or a file does not count.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import { startOfFile } from '../base/files/plain-file.ts';
import { shellWord } from '../base/text/shell-quote.ts';
import type { VisitedCommand } from './finding.ts';

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
  readonly instead: (words: readonly string[], cwd: string) => string;
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

/** The bytes of so many lines, by the length of the first ones, or of so many bytes: `-n 500`, `-500`, `-c 4000`. */
function cutOf(words: readonly string[], cwd: string): number {
  const [, unit, count] =
    /(?:^| )(?:-|--)(n|c|lines|bytes|)[ =]?(\+?\d+)(?= )/.exec(`${words.join(' ')} `) ?? [];
  const size = filesOf(words, cwd);
  if (count === undefined) return 0;
  if (count.startsWith('+')) return size;
  if (unit?.startsWith('c') || unit === 'bytes') return Math.min(size, Number(count));
  const start = startOfFile(resolve(cwd, largestOf(words, cwd)), SAMPLE).toString('latin1');
  return Math.min(size, (Number(count) * start.length) / start.split('\n').length);
}

const SAMPLE = 4_096;

const largestOf = (words: readonly string[], cwd: string): string =>
  operands(words).reduce((a, b) => (sizeOf(cwd, b) > sizeOf(cwd, a) ? b : a), '');

const part = (words: readonly string[], cwd: string): string => {
  const file = shellWord(largestOf(words, cwd));
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
      /^(?:cat|bat|less|more|sed -n p|nl|tac|sort|strings|xxd|hexdump|od|base64|jq (?:-\w )?'?\.'?|python3? -m json\.tool)(?= )/,
    example: 'cat dump.sql',
    bytes: filesOf,
    instead: part,
  },
  {
    command: /^(?:head|tail)(?= )/,
    example: 'tail -n 100000 dump.sql',
    bytes: cutOf,
    instead: part,
  },
  {
    command: /^(?:zcat|gzcat|gunzip -c|xzcat|bzcat)(?= )/,
    example: 'zcat dump.sql.gz',
    bytes: (words, cwd) => filesOf(words, cwd) * UNPACKED,
    instead: (words, cwd) => `zcat ${shellWord(largestOf(words, cwd))} | head -c 4000`,
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

/** Less is never too much, whatever the user's settings say. */
const SMALLEST = 4_096;

/** The largest output of these commands. */
export function floodIn(commands: readonly VisitedCommand[]): Flood | undefined {
  const floods = commands.flatMap((it) =>
    it.outputIsUsed || it.inFile ? [] : (floodOf(it) ?? []),
  );
  const [largest] = floods.sort((a, b) => b.bytes - a.bytes);
  return largest !== undefined && largest.bytes > SMALLEST ? largest : undefined;
}

function floodOf({ argv, input, directories }: VisitedCommand): Flood | undefined {
  const [name = '', ...given] = [...argv, ...input].map((it) => it ?? '');
  const [folder, other] = directories;
  const isKnown = [...argv, ...input].every((it) => it !== undefined);
  if (!isKnown || folder === undefined || other !== undefined) return undefined;
  const line = `${[basename(name), ...given].join(' ')} `;
  const row = ROWS.find((it) => it.command.test(line));
  if (row === undefined) return undefined;
  const [start = ''] = row.command.exec(line) ?? [];
  const words = given.slice(start.split(' ').length - 1);
  return { bytes: row.bytes(words, folder), instead: row.instead(words, folder) };
}
