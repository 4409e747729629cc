/** No agent is named in the source outside of its own folder and the list of agents. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentDefinition } from '../../src/agents/definition.ts';
import { AGENTS } from '../../src/agents/registry.ts';

const SRC = resolve(import.meta.dirname, '../../src');
const LIST = ['agents/all.ts', 'agents/registry.ts'];

interface Homonym {
  readonly word: RegExp;
  readonly files: RegExp;
  readonly reason: string;
}

const HOMONYMS: readonly Homonym[] = [
  {
    word: /(?<!['"`/]\.?)\bcursor(?:of)?\b(?!['"`/-])/gi,
    files: /^(?:lanes|store|fronts|app|moments|base\/text)\//,
    reason: 'the position of a reader in the list of events, or the cursor of a terminal',
  },
  {
    word: /'cursor'/g,
    files: /^store\/handoffs\.ts$/,
    reason: 'the column of that position',
  },
  {
    word: /\bcopilot\b/g,
    files: /^commands\/tools\//,
    reason: 'AWS Copilot, which deploys containers',
  },
  {
    word: /\bvscode\b/g,
    files: /^features\/never-counts\.ts$/,
    reason: 'the settings of the editor',
  },
];

/** `claude` stands for `claude-code`, `Claude Code`, `.claude` and `CLAUDE_CONFIG_DIR` as well. */
function wordsOf({ name, title, marks, guards, worker }: AgentDefinition): string[] {
  const [first = name] = name.split('-');
  const variables = [...marks.present, ...(marks.others ?? [])];
  const programs = [...(worker ? [worker.program] : []), ...(guards?.programs ?? [])];
  const words = [first, title, ...variables, ...programs].map((it) => it.toLowerCase());
  return words.filter((it, at) => words.indexOf(it) === at);
}

function sources(): string[] {
  return readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => relative(SRC, join(it.parentPath, it.name)));
}

test.each(AGENTS)('$name is named in its folder and in the list', (agent) => {
  const words = wordsOf(agent);
  const named = sources()
    .filter((file) => !LIST.includes(file))
    // A model's maker is named by several agents (`ANTHROPIC_API_KEY`); the next test looks there.
    .filter((file) => !AGENTS.some(({ name }) => file.startsWith(`agents/${name}/`)))
    .flatMap((file) => {
      const homonyms = HOMONYMS.filter(({ files }) => files.test(file));
      const lines = readFileSync(join(SRC, file), 'utf8').split('\n');
      return lines.flatMap((line, at) => {
        const rest = homonyms.reduce((text, { word }) => text.replaceAll(word, ''), line);
        const found = words.some((it) => rest.toLowerCase().includes(it));
        return found ? [`${file}:${at + 1}: ${line.trim()}`] : [];
      });
    });
  expect(named).toEqual([]);
});

test('an agent is named in no folder of another', () => {
  const named = AGENTS.flatMap((agent) =>
    sources()
      .filter((file) => /^agents\/[^/]+\//.test(file) && !file.startsWith('agents/worker/'))
      .filter((file) => !file.startsWith(`agents/${agent.name}/`))
      .filter((file) => {
        const text = readFileSync(join(SRC, file), 'utf8');
        return [`'${agent.name}'`, `\`${agent.name}\``, `/${agent.name}/`].some((it) =>
          text.includes(it),
        );
      }),
  );
  expect(named).toEqual([]);
});
