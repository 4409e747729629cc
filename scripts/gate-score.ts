#!/usr/bin/env node
/**
 * Scores the recogniser on files of commands with known verdicts:
 *
 *     npm run gate:score [-- [FILE ...] [--misses]]
 *
 * Without a file it reads those in `bench/corpus`, whose README describes the lines. `--misses` shows
 * each line that was answered otherwise.
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
import { dirname, join } from 'node:path';
import type { Finding } from '../src/commands/finding.ts';
import { recognise } from '../src/commands/recognise.ts';

interface Line {
  readonly command: string;
  readonly expect: 'boundary' | 'none' | 'opaque';
  readonly family: string;
  readonly files?: Readonly<Record<string, string>>;
}

interface Tally {
  boundaries: number;
  found: number;
  harmless: number;
  held: number;
  opaque: number;
  opaqueFound: number;
}

const args = process.argv.slice(2);
const showsMisses = args.includes('--misses');
const named = args.filter((it) => !it.startsWith('-'));
const corpus = join(import.meta.dirname, '../bench/corpus');
const inCorpus = readdirSync(corpus).filter((name) => name.endsWith('.jsonl'));
const files = named.length > 0 ? named : inCorpus.map((name) => join(corpus, name));

const families = new Map<string, Tally>();
const times: number[] = [];
for (const line of files.flatMap(linesOf)) {
  const findings = findingsOf(line);
  const tally = families.get(line.family) ?? empty();
  families.set(line.family, tally);
  count(line, findings, tally);
}
print();

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
      ? readdirSync(path)
      : undefined;
  const env = { HOME: '/home/user', PWD: root };
  return { cwd: root, env, readFile, list, toplevel: () => root };
}

function empty(): Tally {
  return { boundaries: 0, found: 0, harmless: 0, held: 0, opaque: 0, opaqueFound: 0 };
}

function count(line: Line, findings: readonly Finding[], tally: Tally): void {
  const boundary = findings.some((it) => it.verdict === 'boundary');
  const opaque = findings.some((it) => it.verdict === 'opaque');
  const held = boundary || findings.some((it) => it.verdict === 'opaque' && it.suspicious);
  switch (line.expect) {
    case 'boundary':
      tally.boundaries += 1;
      if (boundary) tally.found += 1;
      else report('missed', line, findings);
      return;
    case 'none':
      tally.harmless += 1;
      if (held) tally.held += 1;
      if (held || opaque) report(held ? 'held' : 'opaque, not held', line, findings);
      return;
    case 'opaque':
      tally.opaque += 1;
      if (boundary || opaque) tally.opaqueFound += 1;
      else report('missed opaque', line, findings);
  }
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
  console.log(row('all', total));
  const sorted = times.sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(`median ${median.toFixed(3)} ms, slowest ${(sorted.at(-1) ?? 0).toFixed(1)} ms`);
}

function row(name: string, tally: Tally): string {
  const parts = [
    `boundaries found ${tally.found}/${tally.boundaries}`.padEnd(28),
    `harmless held ${tally.held}/${tally.harmless}`.padEnd(24),
    `opaque found ${tally.opaqueFound}/${tally.opaque}`,
  ];
  return `${name.padEnd(18)}${parts.join('')}`;
}
