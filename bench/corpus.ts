/** How many commands of a file of labelled ones the installed entry answers without Node. */
import { readFileSync } from 'node:fs';
import { quickAnswers } from '../test/support/quick-shell.ts';

interface Labelled {
  readonly command: string;
  readonly expect: string;
}

/** @param file one JSON object a line, as `npm run gate:score` reads it. */
export function quickShare(file: string): string {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const labelled = lines.map((line): Labelled => JSON.parse(line));
  const payloads = labelled.map(({ command }) =>
    JSON.stringify({
      ...{ session_id: 's', cwd: '/repo', hook_event_name: 'PreToolUse', tool_name: 'Bash' },
      tool_input: { command },
    }),
  );
  const quick = quickAnswers(['/bin/sh'], payloads);
  const shares = [...Map.groupBy(labelled.keys(), (at) => labelled[at]?.expect)].map(
    ([expect, all]) => `${all.filter((at) => quick[at]).length} of ${all.length} (${expect})`,
  );
  return `answered without Node in ${file}: ${shares.join(', ')}`;
}
