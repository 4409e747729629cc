import { expect, test } from 'vitest';
import { promptFor } from '../../src/recall/dream/by-program.ts';
import { summaryOf } from '../../src/recall/summaries.ts';

test('a prompt holds no half of a secret, wherever the text is cut', () => {
  const secret = `ghp_${'aB3dE6gH9'.repeat(4)}`;
  for (let words = 5_900; words < 6_000; words += 10) {
    const request = `${'x'.repeat(words)} ${secret}`;
    const summary = { ...summaryOf([]), request };
    const { text } = promptFor([{ session: 'one', summary, last: 0 }], []);
    expect(text).not.toContain('ghp_');
  }
});
