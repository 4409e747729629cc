import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMAND_PAGE, commandPage } from '../../../scripts/command-page.ts';

test('docs/commands.md has every option of every command, and is what `npm run generate` writes', async () => {
  const page = await commandPage();
  expect(readFileSync(COMMAND_PAGE, 'utf8')).toBe(page);
  expect(page).toContain('- `--supersedes <note>`: ');
  expect(page.match(/^- `[^`]+`: *$/gm)).toBeNull();
});
