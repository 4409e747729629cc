/** Revisions of notes: whatever the order in which machines exchange them, they agree, and no text is lost. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Content,
  headsOf,
  historyOf,
  type MergeText,
  type Revision,
  revisionOf,
  settle,
} from '../../src/team/notes/revisions.ts';

const REPO = 'a'.repeat(32);
const PATH = 'project/gotchas/expiry';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lanehold-notes-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** As git merges, but without a process where that cannot matter. */
const merged = new Map<string, string | undefined>();
const mergeText: MergeText = async (base, one, other) => {
  const key = JSON.stringify([base, one, other]);
  if (!merged.has(key)) {
    for (const [name, text] of Object.entries({ base, one, other }))
      writeFileSync(join(folder, name), `${text}\n`);
    try {
      const args = ['merge-file', '-p', '--quiet', 'one', 'base', 'other'];
      merged.set(key, execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim());
    } catch {
      merged.set(key, undefined);
    }
  }
  return merged.get(key);
};

const content = (lines: readonly string[], title = 'Expiry'): Content => ({
  id: 'lh-1234',
  kind: 'gotcha',
  title,
  when: '',
  files: [],
  commands: [],
  links: [],
  created: '2026-01-01',
  source: 'person',
  body: lines.join('\n'),
});

/** A machine: its revisions, and those that its document is of. */
function machine() {
  const revisions = new Map<string, Revision>();
  let base: string[] = [];
  let clock = 0;
  return {
    revisions,
    /** Changes a line of its document, or removes it. */
    edit(at: number, line: number, word: string | null): void {
      clock = at;
      const now = revisions.get(base[0] ?? '')?.said.note;
      const lines = (now?.body ?? 'a\nb\nc\nd\ne\nf\ng').split('\n');
      lines[line % lines.length] = word ?? '';
      const note = word === null ? null : content(lines);
      const made = revisionOf({ at: clock, repo: REPO, path: PATH, note, parents: base });
      revisions.set(made.digest, made);
      base = [made.digest];
    },
    async takeFrom(other: ReadonlyMap<string, Revision>): Promise<void> {
      for (const [digest, it] of other) revisions.set(digest, it);
      await settle(revisions, mergeText);
      const heads = headsOf(revisions);
      const next = heads.find((it) => base.every((own) => historyOf(revisions, [it]).has(own)));
      if (next !== undefined) base = [next];
    },
  };
}

const step = fc.oneof(
  fc.record({
    kind: fc.constant('edit' as const),
    who: fc.nat(2),
    line: fc.nat(6),
    gone: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('exchange' as const), who: fc.nat(2), from: fc.nat(2) }),
);

type Step = typeof step extends fc.Arbitrary<infer It> ? It : never;

/** Plays the steps, then lets everybody hear everybody. @returns the machines, and the words that were written. */
async function played(steps: readonly Step[]) {
  const machines = [machine(), machine(), machine()] as const;
  const words: string[] = [];
  for (const [at, it] of steps.entries()) {
    const who = machines[it.who as 0];
    const word = it.kind === 'edit' && !(it.gone && at % 3 === 0) ? `word-${at}.` : null;
    if (it.kind === 'exchange') await who.takeFrom(machines[it.from as 0].revisions);
    else who.edit(at, it.line, word);
    if (word !== null) words.push(word);
  }
  // At the same time: nobody has what another one merges.
  const all = machines.flatMap(({ revisions }) => [...revisions]);
  for (const it of machines.toReversed()) await it.takeFrom(new Map(all));
  return { machines, words };
}

test('F29: whatever the order of exchange, all machines have the same heads, and no text is lost', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { machines, words } = await played(steps);
      const [first, ...others] = machines.map(({ revisions }) => headsOf(revisions));
      for (const it of others) expect(it).toEqual(first);
      // Each word is in a revision that some head comes from.
      const [{ revisions }] = machines;
      const kept = [...historyOf(revisions, first ?? [])].map((it) => revisions.get(it)?.body);
      expect(words.filter((word) => !kept.join().includes(word))).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test('changes of different lines are joined, of the same line they stay two versions until somebody joins them', async () => {
  const [ada, bob] = [machine(), machine()];
  ada.edit(1, 0, 'one');
  await bob.takeFrom(ada.revisions);
  ada.edit(2, 0, 'uno');
  bob.edit(3, 6, 'seven');
  await ada.takeFrom(bob.revisions);
  const [head = '', ...more] = headsOf(ada.revisions);
  expect(more).toEqual([]);
  expect(ada.revisions.get(head)?.said.note?.body).toBe('uno\nb\nc\nd\ne\nf\nseven');
  await bob.takeFrom(ada.revisions);
  ada.edit(4, 3, 'mine');
  bob.edit(5, 3, 'yours');
  await ada.takeFrom(bob.revisions);
  await bob.takeFrom(ada.revisions);
  const heads = headsOf(ada.revisions);
  expect(heads).toHaveLength(2);
  expect(headsOf(bob.revisions)).toEqual(heads);
  const note = content(['both']);
  const joined = revisionOf({ at: 6, repo: REPO, path: PATH, note, parents: heads });
  ada.revisions.set(joined.digest, joined);
  await bob.takeFrom(ada.revisions);
  expect(headsOf(bob.revisions)).toEqual([joined.digest]);
});

test('an edit wins over a removal that did not know it', async () => {
  const [ada, bob] = [machine(), machine()];
  ada.edit(1, 0, 'one');
  await bob.takeFrom(ada.revisions);
  ada.edit(2, 0, null);
  bob.edit(3, 1, 'two');
  await ada.takeFrom(bob.revisions);
  const [head = ''] = headsOf(ada.revisions);
  expect(ada.revisions.get(head)?.said.note?.body).toContain('two');
});
