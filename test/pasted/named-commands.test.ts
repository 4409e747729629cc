/**
 * Every command line of lanehold that stands in a message, a page, a skill or the help is one: its words are
 * commands, options and arguments that there are. What they do is tried in `pasted-commands.test.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { allCommands, createProgram } from '../../src/fronts/main.ts';
import { bufferedHost } from '../support/buffered-host.ts';
import { filledIn } from '../support/commands-in.ts';

const ROOT = join(import.meta.dirname, '../..');

const filesBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path))
    .map((path) => join(folder, path));

const FILES = [
  'README.md',
  ...filesBelow('docs', /\.md$/),
  ...filesBelow('skills', /\.md$/),
  ...filesBelow('page', /\.tsx?$/),
  ...filesBelow('src', /\.ts$/).filter((path) => !path.includes('.examples.')),
];

const FENCED = /^```[^\n]*\n([\s\S]*?)^```/gm;
const COMMENT = /^ *(?:\/?\*|\/\/).*$/gm;

/** In backticks, as an example of the help, or a line of its own in a block of code. */
const NAMED = [
  /`(lanehold [a-z][^`\\]*)(?:\\?`)/g,
  /`\$\{(?:[a-z]+\.)?program\} ([a-z][^`\\]*)(?:\\?`)/g,
  /\['(lanehold [a-z](?:[^'\\]|\\')*)',/g,
  /\["(lanehold [a-z][^"]*)",/g,
  /(?:command|text)="(lanehold [^"]*)"/g,
  /command: '(lanehold [^']*)'/g,
];

function namedIn(file: string): string[] {
  const whole = readFileSync(join(ROOT, file), 'utf8').replaceAll('\\\n', ' ');
  const isCode = /\.tsx?$/.test(file);
  const text = isCode ? whole.replaceAll(COMMENT, '') : whole.replaceAll(FENCED, '');
  const blocks = isCode ? [] : [...whole.matchAll(FENCED)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.split('\n')).map((it) => it.replace(/^[$> ]+/, ''));
  const inText = NAMED.flatMap((it) => [...text.matchAll(it)].map(([, line = '']) => line));
  return [...inText, ...lines].flatMap(ofLanehold);
}

/** A value that is filled in is `x`; one that is put behind a word may be empty. */
const ofLanehold = (line: string): string[] =>
  line
    .replaceAll(/--\$\{[^}]*\}/g, '--user')
    .replaceAll(/(?<=[ '"])\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'x')
    .replaceAll(/\$\{.*\}/g, '')
    .replaceAll("\\'", "'")
    .replace(/ {2,}#.*$| # .*$/, '')
    .replaceAll(/(?<=[a-z])\|[a-z|]+/g, '')
    .split(/ (?:&&|\|\||[|;<>]|2>) ?|; /)
    .filter((it) => /^lanehold (?!holds|asks|cannot)/.test(it));

function wordsOf(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

class Parsed extends Error {}

async function problemOf(line: string): Promise<string | undefined> {
  const [, ...words] = wordsOf(filledIn(line));
  const { host } = bufferedHost([]);
  const program = createProgram(await allCommands(), host.streams, () => {
    throw new Parsed();
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof Parsed) return undefined;
    if (error instanceof CommanderError && error.exitCode === 0) return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}

/** The name of a command, or of its option, in a sentence about it: it is one, and wants more when it is typed. */
const WANTS_MORE =
  /^(?:\(outputHelp\)|missing required argument|required option|option `[^`]*` argument missing)/;

test('every command that is named anywhere is one', async () => {
  const named = FILES.flatMap((file) => namedIn(file).map((line) => ({ file, line })));
  expect(named.length).toBeGreaterThan(400);
  const problems = new Map<string, string>();
  for (const { file, line } of named) {
    const problem = await problemOf(line);
    if (problem === undefined || WANTS_MORE.test(problem)) continue;
    // Which one it is, is filled in.
    if (problem === 'unknown command `x`') continue;
    problems.set(`${file}: ${line}`, problem);
  }
  expect(Object.fromEntries(problems)).toEqual({});
});
