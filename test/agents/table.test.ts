import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { README_FILE, withAgentTable } from '../../scripts/agent-table.ts';

test('the table of agents in README.md is what `npm run generate` writes', () => {
  const readme = readFileSync(README_FILE, 'utf8');
  expect(readme).toBe(withAgentTable(readme));
});
