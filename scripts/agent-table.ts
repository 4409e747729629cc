/** Writes the tables of agents, a short one and a full one, from what their definitions say of themselves. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Capabilities } from '../src/agents/definition.ts';
import { agentsWith, type HookAgent } from '../src/agents/registry.ts';

const BEGIN = '<!-- agents: written by `npm run generate` -->\n';
const END = '<!-- end of agents -->\n';

type Column = readonly [title: string, cell: (agent: HookAgent) => string];

const COLUMNS: readonly Column[] = [
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

const SHORT_COLUMNS: readonly Column[] = [
  ['Agent', ({ title }) => title],
  [
    'Can ask a person',
    ({ hooks }) => (hooks.capabilities.asks.includes('before-tool') ? 'yes' : 'no'),
  ],
  ['If its hook fails, the command', ({ hooks }) => thenCommand(hooks.capabilities)],
];

/** Each page with the columns that its table has. */
const PAGES: Readonly<Record<string, readonly Column[]>> = {
  'README.md': SHORT_COLUMNS,
  'docs/agents.md': COLUMNS,
};

export const AGENT_PAGES = Object.keys(PAGES).map((name) => ({
  name,
  file: join(import.meta.dirname, '..', name),
}));

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

/** What becomes of a call after a crash of its hook, and after a time-out. */
function outcomes({ blocksAfter = [] }: Capabilities): readonly [string, string] {
  const after = (failure: 'crash' | 'time-out') =>
    blocksAfter.includes(failure) ? 'is blocked' : '**runs**';
  return [after('crash'), after('time-out')];
}

function afterFailure(capabilities: Capabilities): string {
  const { failClosed } = capabilities;
  if (failClosed !== undefined) return `blocked (\`${failClosed}\`)`;
  const [crash, timeout] = outcomes(capabilities);
  if (crash === timeout) return crash === '**runs**' ? '**it runs**' : 'blocked';
  return `${crash} after a crash, ${timeout} after a time-out`;
}

function thenCommand(capabilities: Capabilities): string {
  if (capabilities.failClosed !== undefined) return 'is blocked';
  const [crash, timeout] = outcomes(capabilities);
  return crash === timeout ? crash : `${crash}; after a time-out it ${timeout}`;
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

function agentTable(columns: readonly Column[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(columns.map(([title]) => title)),
    row(columns.map(() => '---')),
    ...agentsWith('hooks').map((agent) => row(columns.map(([, cell]) => cell(agent)))),
    '',
  ].join('\n');
}

/** @throws {Error} if the text has no place for the table. */
export function withAgentTable(name: string, text: string): string {
  const from = text.indexOf(BEGIN) + BEGIN.length;
  const to = text.indexOf(END);
  if (from < BEGIN.length || to < from) throw new Error(`${name} has no place for the table`);
  return text.slice(0, from) + agentTable(PAGES[name] ?? []) + text.slice(to);
}

if (import.meta.main) {
  for (const { name, file } of AGENT_PAGES) {
    writeFileSync(file, withAgentTable(name, readFileSync(file, 'utf8')));
  }
}
