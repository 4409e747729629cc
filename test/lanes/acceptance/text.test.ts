/** What people write goes through the store, the prompt, the shell and back as they wrote it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rows } from '../../support/lane-facts.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const LINE = [
  `| cell | "double" 'single' \`reconcile\` $(touch pwned) $HOME $\{HOME} \\n \\ %s <b> 🦜 é`,
  '# no heading',
  '```',
  '~~~~',
  '',
].join('\n');
const SIZE = 50 * 1024;
const LONG = LINE.repeat(Math.ceil(SIZE / LINE.length));

/** A command that passes, with any text in it. */
const command = (text: string): string => `: <<'THE END'\n${text}\nTHE END\ntest -e a.txt`;

test.each(['goal', 'desc', 'notes', 'validate'] as const)(
  '50 KB of any text as %s come back as they were written',
  async (long) => {
    const text = (field: string): string => `${field}: ${field === long ? LONG : LINE}`;
    const words = {
      goal: text('goal'),
      desc: text('desc'),
      notes: text('notes'),
      validate: command(text('validate')),
    };
    const project = laneProject({ scenario: { lanes: { a: [[{ write: { 'a.txt': 'a' } }]] } } });
    const run = laneRun(project);
    await run.init(words.goal, '--name', 'texts');
    const { desc, notes, validate } = words;
    await run.orchestrate(
      ...['lane', 'add', 'a', '--agent', 'claude-code'],
      ...['--desc', desc, '--notes', notes, '--validate', validate],
    );
    await run.spawn();
    await run.settled();
    expect(run.lane('a').state).toBe('verified');

    expect(rows(project, 'SELECT goal FROM runs')).toEqual([{ goal: words.goal }]);
    const [stored] = rows(project, 'SELECT spec, validate_cmd FROM lanes');
    expect(JSON.parse(String(stored?.spec))).toMatchObject({ desc, notes, validate });
    expect(stored?.validate_cmd).toBe(validate);
    const [judged] = rows(project, "SELECT cmd FROM validations WHERE subject = 'lane'");
    expect(judged?.cmd).toBe(validate);

    const prompt = readFileSync(project.starts('a')[0]?.prompt ?? '', 'utf8');
    const status = stringsIn((await run.orchestrate('status')).json);
    for (const [field, written] of Object.entries(words)) {
      expect(prompt.includes(written.trimEnd()), `${field} in the prompt`).toBe(true);
      expect(status.has(written), `${field} in the status`).toBe(true);
    }
    for (const folder of [project.repo, run.lane('a').worktree ?? '', project.box.home]) {
      expect(existsSync(join(folder, 'pwned'))).toBe(false);
    }
  },
);

function stringsIn(value: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string') found.add(value);
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) stringsIn(inner, found);
  }
  return found;
}

test('names of files that workers make are only names', async () => {
  const names = ['new\nline.txt', '$(touch pwned).txt', '🦜 "quoted".txt', '-rf', 'tab\there'];
  const project = laneProject({
    scenario: {
      lanes: { a: [[{ write: Object.fromEntries(names.map((it) => [`./src/${it}`, it])) }]] },
    },
  });
  const run = laneRun(project);
  await run.init();
  await run.add('a', { touches: ['src/**'] });
  await run.spawn();
  await run.settled();
  expect(run.lane('a').state).toBe('verified');
  const { head_sha: head } = run.lane('a');
  const made = project.git('ls-tree', '-r', '-z', '--name-only', head ?? '', 'src/').split('\0');
  expect(made).toEqual(expect.arrayContaining(names.map((it) => `src/${it}`)));
});
