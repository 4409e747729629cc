#!/usr/bin/env node
/**
 * Scores the recogniser on files of commands with known verdicts:
 *
 *     npm run gate:score [-- [FILE ...] [--misses]]
 *
 * Without a file it reads those in `bench/corpus`, whose README describes the lines, and tells the sum of
 * each. What is found is denied while something is pending, but for a tool that is taken for a release by
 * its name alone: a person is asked about that, and about what cannot be read. `--misses` shows each line
 * that was answered otherwise.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Finding } from '../src/commands/finding.ts';
import { recognise } from '../src/commands/recognise.ts';
import { AGENT_GUARDS } from '../src/moments/lifecycle/guarded-files.ts';

interface Line {
  readonly command: string;
  readonly expect: 'boundary' | 'none' | 'opaque';
  readonly family: string;
  readonly files?: Readonly<Record<string, string>>;
}

interface Tally {
  boundaries: number;
  denied: number;
  /** Of the boundaries that are not denied. */
  asked: number;
  harmless: number;
  held: number;
  opaque: number;
  opaqueFound: number;
  opaqueAsked: number;
}

const args = process.argv.slice(2);
const showsMisses = args.includes('--misses');
const named = args.filter((it) => !it.startsWith('-'));
const corpus = join(import.meta.dirname, '../bench/corpus');
const inCorpus = readdirSync(corpus).filter((name) => name.endsWith('.jsonl'));
const files = named.length > 0 ? named : inCorpus.map((name) => join(corpus, name));

/** What a line of each kind counts for, and whether its answer is the right one. */
const COUNTS: Readonly<
  Record<Line['expect'], (answer: Answer) => readonly [right: boolean, ...keys: (keyof Tally)[]]>
> = {
  boundary: (it) =>
    it === 'denied' || it === 'asked' ? [it === 'denied', 'boundaries', it] : [false, 'boundaries'],
  none: (it) =>
    it === 'denied' || it === 'asked' ? [false, 'harmless', 'held'] : [it === 'none', 'harmless'],
  opaque: (it) => {
    if (it === 'none') return [false, 'opaque'];
    if (it === 'opaque, not asked') return [false, 'opaque', 'opaqueFound'];
    return [true, 'opaque', 'opaqueFound', 'opaqueAsked'];
  },
};

const families = new Map<string, Tally>();
const sets = new Map<string, Tally>();
const times: number[] = [];
for (const file of files) {
  for (const line of linesOf(file)) {
    const findings = findingsOf(line);
    count(line, findings, [tallyOf(families, line.family), tallyOf(sets, basename(file))]);
  }
}
print();

function tallyOf(tallies: Map<string, Tally>, name: string): Tally {
  const tally = tallies.get(name) ?? empty();
  tallies.set(name, tally);
  return tally;
}

function linesOf(file: string): readonly Line[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line));
}

function findingsOf(line: Line): readonly Finding[] {
  const root = mkdtempSync(join(tmpdir(), 'gate-score-'));
  try {
    for (const [path, text] of Object.entries(line.files ?? {})) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const started = performance.now();
    const findings = recognise(line.command, contextIn(root));
    times.push(performance.now() - started);
    return findings;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function contextIn(root: string) {
  const readFile = (path: string): string | undefined => {
    if (!path.startsWith(root)) return undefined;
    try {
      return readFileSync(path, 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error) return undefined;
      throw error;
    }
  };
  const list = (path: string): readonly string[] | undefined =>
    path.startsWith(root) && statSync(path, { throwIfNoEntry: false })?.isDirectory()
      ? readdirSync(path, { withFileTypes: true }).map((it) =>
          it.isDirectory() ? `${it.name}/` : it.name,
        )
      : undefined;
  const env = { HOME: '/home/user', PWD: root };
  return {
    cwd: root,
    env,
    readFile,
    list,
    toplevel: () => root,
    agents: AGENT_GUARDS,
  };
}

function empty(): Tally {
  return {
    ...{ boundaries: 0, denied: 0, asked: 0, harmless: 0, held: 0 },
    ...{ opaque: 0, opaqueFound: 0, opaqueAsked: 0 },
  };
}

type Answer = 'denied' | 'asked' | 'opaque, not asked' | 'none';

function answerOf(findings: readonly Finding[]): Answer {
  if (findings.some((it) => it.verdict === 'boundary' && !it.isUnlisted)) return 'denied';
  const isAsked = (it: Finding): boolean =>
    it.verdict === 'boundary' || (it.verdict === 'opaque' && it.suspicious);
  if (findings.some(isAsked)) return 'asked';
  return findings.some((it) => it.verdict === 'opaque') ? 'opaque, not asked' : 'none';
}

function count(line: Line, findings: readonly Finding[], tallies: readonly Tally[]): void {
  const answer = answerOf(findings);
  const [right, ...keys] = COUNTS[line.expect](answer);
  for (const it of tallies) for (const key of keys) it[key] += 1;
  if (!right) report(`${line.expect} was ${answer}`, line, findings);
}

function report(what: string, line: Line, findings: readonly Finding[]): void {
  if (!showsMisses) return;
  console.log(`${what} (${line.family})\n${indented(line.command)}`);
  for (const it of findings) console.log(`   -> ${JSON.stringify(it)}`);
}

function indented(text: string): string {
  return text.replace(/^/gm, '   | ');
}

function print(): void {
  const total = empty();
  for (const [family, tally] of [...families].sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const key of Object.keys(total) as (keyof Tally)[]) total[key] += tally[key];
    console.log(row(family, tally));
  }
  for (const [name, tally] of sets) console.log(row(name.replace(/\.jsonl$/, ''), tally));
  console.log(row('all', total));
  const sorted = times.sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(`median ${median.toFixed(3)} ms, slowest ${(sorted.at(-1) ?? 0).toFixed(1)} ms`);
}

function row(name: string, it: Tally): string {
  const parts = [
    `boundaries denied ${it.denied}, asked ${it.asked} of ${it.boundaries}`.padEnd(44),
    `harmless held ${it.held}/${it.harmless}`.padEnd(24),
    `opaque found ${it.opaqueFound}, asked ${it.opaqueAsked} of ${it.opaque}`,
  ];
  return `${name.padEnd(24)}${parts.join('')}`;
}
