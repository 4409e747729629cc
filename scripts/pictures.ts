/**
 * Writes the two pictures of README.md: what the tour prints, and what sits where. With `--check` it
 * compares them with the files and exits with 1 if one of them is not current.
 *
 * The tour is played for it. Commit ids and durations differ in each run and are replaced; a line that
 * the tour no longer prints stops the script. Colours change inside the file with the reader's scheme,
 * and `textLength` keeps the width of a line in any font.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentsWith } from '../src/agents/registry.ts';
import { COLUMN, escaped, LINE, MONO, SANS, svg } from './svg.ts';

const FOLDER = join(import.meta.dirname, '../docs/pictures');
const TOUR = join(import.meta.dirname, 'tour/main.ts');

/** The class of a line is its colour. */
type Line = readonly [tone: 'command' | 'held' | 'bad' | 'good' | 'plain' | 'edit', text: string];
type Act = readonly [word: 'held' | 'verify' | 'through', lines: readonly Line[]];

/** What the picture shows, in the tour's order; of a line the beginning, or its end after `…`. */
const ACTS: readonly Act[] = [
  [
    'held',
    [
      ['command', '$ git push origin main'],
      ['held', '| lanehold holds `git push`: 1 feature is not verified'],
      ['held', '| - checkout: never verified'],
      ['plain', '| Verify: lanehold feature verify checkout'],
    ],
  ],
  [
    'verify',
    [
      ['command', '$ lanehold feature verify checkout'],
      ['bad', 'checkout: node src/checkout/check.js failed (exit code 1'],
      ['plain', 'a cart of 20 and 22 costs 33.6'],
      ['edit', '$ (edit) src/checkout/total.js:  * 0.8 ->  * 1'],
      ['command', '$ lanehold feature verify checkout'],
      ['good', 'checkout: node src/checkout/check.js passed'],
      ['good', 'Verified 1 of 1: checkout'],
    ],
  ],
  [
    'through',
    [
      ['command', '$ git commit'],
      ['command', '$ git push origin main'],
      ['plain', 'To '],
      ['good', '…main -> main'],
    ],
  ],
];

/** @throws {Error} if the tour fails, or prints a line no more. */
function playedActs(): readonly Act[] {
  const tour = execFileSync(process.execPath, [TOUR], {
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  const printed = tour.split('\n').map((line) => withoutChance(line.trim()));
  let from = printed.findIndex((line) => line.startsWith('3. '));
  const find = (wanted: string): string => {
    const at = printed.findIndex(
      (line, number) =>
        number >= from &&
        (wanted.startsWith('…') ? line.endsWith(wanted.slice(1)) : line.startsWith(wanted)),
    );
    if (at < 0) throw new Error(`the tour does not print this any more: ${wanted}`);
    from = at + 1;
    return (printed[at] ?? '').replace(/^\| /, '').replace(/^\$ \(edit\)/, '(edit)');
  };
  return ACTS.map(([word, lines]) => [word, lines.map(([tone, wanted]) => [tone, find(wanted)])]);
}

/** Commit ids, durations and temporary folders differ in each run. */
function withoutChance(line: string): string {
  return line
    .replace(/\b[0-9a-f]{7}\.\.[0-9a-f]{7}\b/, 'b000ca1..d5a4f1e')
    .replace(/\d+(?:\.\d+)? s\)/, '0 s)')
    .replace(/^To .*\//, 'To ');
}

const LEFT = 104;

function tourPicture(acts: readonly Act[]): string {
  const parts: string[] = [];
  let bottom = 20;
  for (const [word, lines] of acts) {
    const top = bottom;
    for (const [tone, text] of lines) {
      bottom += LINE;
      const x = tone === 'command' ? LEFT : LEFT + 2 * COLUMN;
      const length = (text.length * COLUMN).toFixed(1);
      parts.push(
        `<text class="${tone}" x="${x}" y="${bottom}" textLength="${length}">${escaped(text)}</text>`,
      );
    }
    parts.push(
      `<text class="word ${word}" x="16" y="${(top + bottom) / 2 + 10}">${word}</text>`,
      `<path class="${word}" d="M88 ${top + 8}V${bottom + 6}"/>`,
    );
    bottom += 16;
  }
  const style = `text{font:400 12.5px ${MONO};fill:var(--ink2);white-space:pre}path{stroke:var(--line);stroke-width:4}.command{fill:var(--ink);font-weight:700}text.held{fill:var(--need)}path.held{stroke:var(--wall)}.bad{fill:var(--bad)}.good,text.through{fill:var(--good)}path.through{stroke:var(--open);stroke-dasharray:2 6}.edit,text.verify{fill:var(--ink3)}.word{font:600 13px ${SANS}}`;
  return svg({
    height: bottom + 12,
    label: 'A push is held, its feature is verified, and the same push goes through',
    style,
    parts,
  });
}

function diagram(): string {
  const style = `text{font:400 12.5px ${SANS};fill:var(--ink2)}.title{font-weight:650;font-size:14px;fill:var(--ink)}.label{fill:var(--ink3);font-size:12px}.file{font-family:${MONO};font-size:12px}.box{fill:var(--sunk);stroke:var(--edge)}.arrow,.part{fill:none;stroke:var(--edge);stroke-width:1.25}.part{stroke-dasharray:3 3}.rule{stroke:var(--line)}.wall{stroke:var(--wall);stroke-width:4}marker path{fill:var(--edge)}`;
  const rows = [
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8Z"/></marker></defs>',
    box(16, 144, 'Your agent', `${agentsWith('hooks').length} are supported`),
    box(256, 144, 'Hook', 'before and after'),
    box(496, 112, 'Gate', 'pass or hold'),
    ...arrow('M160 62H255', 'a command', [208, 54]),
    ...arrow('M256 86H161', 'what it is told', [208, 102]),
    ...arrow('M400 72H495', 'would it leave?', [448, 64]),
    '<path class="wall" d="M640 28V116"/><path class="arrow" d="M608 72H634" marker-end="url(#tip)"/>',
    '<text class="title" x="656" y="68">origin</text><text x="656" y="86">npm, …</text>',
    '<text class="label" x="552" y="128" text-anchor="middle">git’s own pre-push hook asks it too</text>',
    '<path class="part" d="M88 104V196"/><path class="part" d="M328 104V196"/><path class="part" d="M552 136V196"/>',
    '<text class="label" x="96" y="156">splits work</text><text class="label" x="336" y="156">tells and records</text><text class="label" x="560" y="172">reads</text>',
    ...list(16, 'Lanes', 'work beside each other, proven', [
      'a task, a worktree, a worker',
      'a proof on base and on lane',
      'one queue to your branch',
    ]),
    ...list(256, 'Recall', 'what a session has to know', [
      'notes, rules, sessions',
      'an index of files and commits',
      'told when an edit needs it',
    ]),
    ...list(496, 'Hold', 'what is proven, for which content', [
      'features: files and their tests',
      'evidence: what passed, on what',
      'waivers: a person’s word',
    ]),
    '<path class="rule" d="M16 348H704"/>',
    '<text x="16" y="373"><tspan class="file">lanehold.json</tspan> in the repository: features and rules that all have</text>',
    '<text x="16" y="393"><tspan class="file">~/.lanehold</tspan> on this machine: one SQLite file, logs, worktrees. Hooks use no network.</text>',
  ];
  const label =
    'An agent’s hook asks the gate before anything leaves. The gate reads features and evidence. Lanes are worked on and proven beside it, and recall tells sessions what is known.';
  return svg({ height: 408, label, style, parts: rows });
}

function box(x: number, width: number, title: string, text: string): string {
  return `<rect class="box" x="${x}" y="40" width="${width}" height="64" rx="4"/><text class="title" x="${x + 16}" y="67">${title}</text><text x="${x + 16}" y="87">${text}</text>`;
}

function arrow(path: string, label: string, [x, y]: readonly [number, number]): string[] {
  return [
    `<path class="arrow" d="${path}" marker-end="url(#tip)"/>`,
    `<text class="label" x="${x}" y="${y}" text-anchor="middle">${label}</text>`,
  ];
}

function list(x: number, title: string, text: string, items: readonly string[]): string[] {
  return [
    `<text class="title" x="${x}" y="222">${title}</text><text class="label" x="${x}" y="241">${text}</text>`,
    `<path class="rule" d="M${x} 253H${x + 208}"/>`,
    ...items.map((item, row) => `<text x="${x}" y="${277 + row * 22}">${item}</text>`),
  ];
}

const pictures = { 'tour.svg': tourPicture(playedActs()), 'diagram.svg': diagram() };
mkdirSync(FOLDER, { recursive: true });
for (const [name, text] of Object.entries(pictures)) {
  const file = join(FOLDER, name);
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, { encoding: 'utf8' }) !== text) {
    console.error(`docs/pictures/${name} is not current: run \`npm run pictures\``);
    process.exitCode = 1;
  }
}
