/** Writes the table of agents into README.md, from what their definitions say of themselves. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Capabilities } from '../src/agents/definition.ts';
import { agentsWith, type HookAgent } from '../src/agents/registry.ts';

export const README_FILE = join(import.meta.dirname, '../README.md');

const BEGIN = '<!-- agents: written by `npm run generate` -->\n';
const END = '<!-- end of agents -->\n';

const COLUMNS: readonly (readonly [string, (agent: HookAgent) => string])[] = [
  ['Agent', ({ title, name }) => `${title} (\`${name}\`)`],
  ['Before a command', ({ hooks }) => beforeCommand(hooks.capabilities)],
  ['If its hook fails', ({ hooks }) => afterFailure(hooks.capabilities)],
  ['Sub-agents', ({ hooks }) => hooks.capabilities.subAgents],
  ['Is only told', told],
  [
    'Its hooks do not see',
    ({ hooks }) => hooks.capabilities.cannotSee.join('; ') || 'nothing known',
  ],
  ['Tried with', ({ hooks }) => PROOFS[hooks.capabilities.knownFrom]],
];

const PROOFS: Readonly<Record<Capabilities['knownFrom'], string>> = {
  'real client': 'the real client, against a model server of our own',
  documentation: 'payloads of its documentation',
};

function beforeCommand({ asks, rewritesInput }: Capabilities): string {
  return [
    'denied',
    asks.includes('before-tool') ? 'or a person is asked' : 'no question to a person',
    ...(rewritesInput.includes('before-tool') ? ['can be verified first by itself'] : []),
  ].join(', ');
}

function afterFailure({ afterCrash, afterTimeout, failClosed }: Capabilities): string {
  if (failClosed !== undefined) return `blocked (\`${failClosed}\`)`;
  if (afterCrash === afterTimeout) return afterCrash === 'runs' ? '**it runs**' : 'blocked';
  const verb = { runs: '**runs**', blocked: 'is blocked' };
  return `${verb[afterCrash]} after a crash, ${verb[afterTimeout]} after a time-out`;
}

/** What an agent learns at these moments it may follow or not. */
const MOMENTS = [
  ['session-start', 'at the start of a session'],
  ['prompt-submit', 'with a prompt'],
  ['after-tool', 'after an edit'],
] as const;

function told({ hooks, rules }: HookAgent): string {
  const moments = MOMENTS.filter(([event]) => hooks.capabilities.takesContext.includes(event));
  return [...moments.map(([, words]) => words), ...(rules ? ['by a rules file'] : [])].join(', ');
}

export function agentTable(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(COLUMNS.map(([title]) => title)),
    row(COLUMNS.map(() => '---')),
    ...agentsWith('hooks').map((agent) => row(COLUMNS.map(([, cell]) => cell(agent)))),
    '',
  ].join('\n');
}

/** @throws {Error} if the text has no place for the table. */
export function withAgentTable(readme: string): string {
  const from = readme.indexOf(BEGIN) + BEGIN.length;
  const to = readme.indexOf(END);
  if (from < BEGIN.length || to < from) throw new Error('README.md has no place for the table');
  return readme.slice(0, from) + agentTable() + readme.slice(to);
}

if (import.meta.main) {
  writeFileSync(README_FILE, withAgentTable(readFileSync(README_FILE, 'utf8')));
}
