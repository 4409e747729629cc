/**
 * `npm run bench:outputs [-- --json]`: of sixty commands, which are answered with a hint instead of their output, what
 * that saves, and whether a command is answered so whose output is not large. Each is run to see how much it prints.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { floodOf } from '../test/support/flood-of.ts';

const LIMIT = 65_536;
const TOKEN_BYTES = 3.6;

/** A project with a dump, a log, JSON and dependencies. */
function makeProject(folder: string): void {
  const lines = (count: number, of: (at: number) => string) =>
    `${Array.from({ length: count }, (_, at) => of(at)).join('\n')}\n`;
  const dump = lines(
    6_000,
    (at) => `INSERT INTO orders VALUES (${at}, 'open', ${at * 37}, now());`,
  );
  mkdirSync(join(folder, 'src'));
  const files: Readonly<Record<string, string | Buffer>> = {
    'dump.sql': dump,
    'dump.sql.gz': gzipSync(dump, { level: 1 }),
    'app.log': lines(
      4_000,
      (at) => `2026-11-26 ${at % 97 === 0 ? 'ERROR' : 'INFO'} request ${at} took ${at % 50} ms`,
    ),
    'data.json': JSON.stringify({
      items: Array.from({ length: 4_000 }, (_, id) => ({ id, name: `item ${id}` })),
    }),
    'README.md': lines(40, (at) => `Line ${at} of a short text.`),
    'package.json': '{ "name": "shop" }\n',
    'src/app.ts': lines(120, (at) => `export const value${at} = ${at};`),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  for (let at = 0; at < 400; at += 1) {
    const path = join(folder, `node_modules/pkg-${at}/lib`);
    mkdirSync(path, { recursive: true });
    for (const it of ['index', 'main', 'types', 'helper', 'parse', 'print'])
      writeFileSync(join(path, `${it}-of-package-${at}.js`), '');
  }
  execFileSync('git', ['init', '-q', folder]);
}

const folder = mkdtempSync(join(tmpdir(), 'lanehold-bench-outputs-'));
try {
  makeProject(folder);
  const corpus = readFileSync(join(import.meta.dirname, 'recall-corpus/outputs.jsonl'), 'utf8');
  const rows = corpus
    .trim()
    .split('\n')
    .map((line) => {
      const { command } = JSON.parse(line) as { command: string };
      const { stdout } = spawnSync('/bin/sh', ['-c', command], { cwd: folder, maxBuffer: 1e9 });
      const hint = floodOf(command, folder, LIMIT);
      const quiet = hint?.instead.split('`')[0] ?? '';
      const instead = spawnSync('/bin/sh', ['-c', quiet], { cwd: folder, maxBuffer: 1e9 }).stdout;
      return {
        command,
        bytes: stdout.length,
        isHinted: hint !== undefined,
        quietBytes: instead.length,
      };
    });
  const large = rows.filter(({ bytes }) => bytes > LIMIT);
  const hinted = rows.filter(({ isHinted }) => isHinted);
  const figures = {
    commands: rows.length,
    large: large.length,
    hinted: large.filter(({ isHinted }) => isHinted).length,
    /** Hints at commands that print less than the limit. */
    wrong: hinted.filter(({ bytes }) => bytes <= LIMIT).map(({ command }) => command),
    missed: large.filter(({ isHinted }) => !isHinted).map(({ command }) => command),
    tokensSaved: Math.round(
      hinted.reduce((sum, it) => sum + it.bytes - it.quietBytes, 0) / TOKEN_BYTES,
    ),
  };
  if (process.argv.includes('--json')) console.log(JSON.stringify(figures, null, 2));
  else {
    const { commands, wrong, missed, tokensSaved } = figures;
    console.log(
      `${commands} commands, ${figures.large} print more than ${LIMIT} bytes: ${figures.hinted} of them answered with a hint, ${wrong.length} others; about ${tokensSaved.toLocaleString('en')} tokens saved`,
    );
    for (const it of missed) console.log(`missed: ${it}`);
    for (const it of wrong) console.log(`wrong: ${it}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
