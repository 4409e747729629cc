import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGENT_PAGES, withAgentTable } from '../../scripts/agent-table.ts';

test.each(AGENT_PAGES)('the table of agents in $name is what `npm run generate` writes', (page) => {
  const text = readFileSync(page.file, 'utf8');
  expect(text).toBe(withAgentTable(page.name, text));
});
