/** Writes the tables of settings in `docs` from the rows of the settings. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJSONSchema } from 'zod/mini';
import { GATE_ROWS, type GateRow } from '../src/base/config/policy.ts';
import { lanes, userLanes } from '../src/base/config/schema-lanes.ts';

const BEGIN = '<!-- settings: written by `npm run generate` -->\n';
const END = '<!-- end of settings -->\n';

const TABLES: Readonly<Record<string, () => readonly string[]>> = {
  'settings.md': () => [
    '| setting | order | default | meaning |',
    '|---|---|---|---|',
    '| `gate.kinds.<kind>` | `off` < `ask` < `hold` | `hold` | The answer where something is not verified |',
    ...Object.entries(GATE_ROWS).map(
      ([name, row]) => `| \`gate.${name}\` | ${orderOf(row)} | ${meaningOf(row)} |`,
    ),
    '| `gate.boundaries` | fewer < more added; more < fewer removed | none | Commands that are boundaries here, or are not |',
  ],
  'running-lanes.md': () => [
    '| setting | meaning |',
    '|---|---|',
    ...Object.entries(toJSONSchema(userLanes, { io: 'input' }).properties ?? {}).map(
      ([name, it]) => `| \`${name}\` | ${Object(it).description}${isOwn(name)} |`,
    ),
  ],
};

function orderOf(row: GateRow): string {
  if (row.kind === 'age') return 'none < longer < shorter | none';
  if (row.kind === 'globs') return 'fewer < more globs | none';
  return `${row.order.map((it) => `\`${it}\``).join(' < ')} | \`${row.usual}\``;
}

/** The default has a column of its own. */
const meaningOf = ({ text }: GateRow): string => text.replaceAll(/[;,] [^;,]* by default/g, '');

const isOwn = (name: string): string => (name in lanes.shape ? '' : '; only in your own settings');

export const TABLE_FILES = Object.keys(TABLES).map((name) => ({
  name,
  file: join(import.meta.dirname, '../docs', name),
}));

/** @throws {Error} if the text has no place for the table. */
export function withSettings(name: string, text: string): string {
  const from = text.indexOf(BEGIN) + BEGIN.length;
  const to = text.indexOf(END);
  if (from < BEGIN.length || to < from) throw new Error(`${name} has no place for the table`);
  const lines = TABLES[name]?.() ?? [];
  return `${text.slice(0, from)}\n${lines.join('\n')}\n\n${text.slice(to)}`;
}

if (import.meta.main) {
  for (const { name, file } of TABLE_FILES) {
    writeFileSync(file, withSettings(name, readFileSync(file, 'utf8')));
  }
}
