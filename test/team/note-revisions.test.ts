/** Revisions of notes: whatever the order in which machines exchange them, they agree, and no text is lost. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  headsOf,
  historyOf,
  type Revision,
  revisionOf,
  successors,
} from '../../src/team/notes/revisions.ts';

const REPO = 'a'.repeat(32);
const PATH = 'project/gotchas/expiry';

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
      const now = revisions.get(base[0] ?? '')?.said.note ?? 'a\nb\nc\nd\ne\nf\ng';
      const lines = now.split('\n');
      lines[line % lines.length] = word ?? '';
      const note = word === null ? null : lines.join('\n');
      const made = revisionOf({ at: clock, repo: REPO, path: PATH, note, parents: base });
      revisions.set(made.digest, made);
      base = [made.digest];
    },
    takeFrom(other: ReadonlyMap<string, Revision>): void {
      for (const [digest, it] of other) revisions.set(digest, it);
      const [next] = successors(revisions, base);
      if (next !== undefined) base = [next];
    },
    text: () => revisions.get(base[0] ?? '')?.said.note,
    /** Writes a revision of all versions. */
    join(at: number, note: string): void {
      const parents = headsOf(revisions);
      const made = revisionOf({ at, repo: REPO, path: PATH, note, parents });
      revisions.set(made.digest, made);
      base = [made.digest];
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
function played(steps: readonly Step[]) {
  const machines = [machine(), machine(), machine()] as const;
  const words: string[] = [];
  for (const [at, it] of steps.entries()) {
    const who = machines[it.who as 0];
    const word = it.kind === 'edit' && !(it.gone && at % 3 === 0) ? `word-${at}.` : null;
    if (it.kind === 'exchange') who.takeFrom(machines[it.from as 0].revisions);
    else who.edit(at, it.line, word);
    if (word !== null) words.push(word);
  }
  // At the same time: nobody has what another one merges.
  const all = machines.flatMap(({ revisions }) => [...revisions]);
  for (const it of machines.toReversed()) it.takeFrom(new Map(all));
  return { machines, words };
}

test('F29: whatever the order of exchange, all machines have the same heads, and no text is lost', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const { machines, words } = played(steps);
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

test('changes of two stay two versions until somebody joins them', () => {
  const [ada, bob] = [machine(), machine()];
  ada.edit(1, 0, 'one');
  bob.takeFrom(ada.revisions);
  ada.edit(2, 3, 'mine');
  bob.edit(3, 3, 'yours');
  ada.takeFrom(bob.revisions);
  bob.takeFrom(ada.revisions);
  expect(headsOf(ada.revisions)).toHaveLength(2);
  expect(headsOf(bob.revisions)).toEqual(headsOf(ada.revisions));
  expect([ada.text(), bob.text()]).toEqual([
    'one\nb\nc\nmine\ne\nf\ng',
    'one\nb\nc\nyours\ne\nf\ng',
  ]);
  ada.join(4, 'both');
  bob.takeFrom(ada.revisions);
  expect([ada.text(), bob.text()]).toEqual(['both', 'both']);
  expect(headsOf(bob.revisions)).toHaveLength(1);
});

test('an edit wins over a removal that did not know it, on every machine', () => {
  const [ada, bob, eve] = [machine(), machine(), machine()];
  ada.edit(1, 0, 'one');
  bob.takeFrom(ada.revisions);
  eve.takeFrom(ada.revisions);
  bob.edit(2, 1, 'two');
  ada.edit(3, 0, null);
  for (const it of [ada, bob, eve]) it.takeFrom(new Map([...ada.revisions, ...bob.revisions]));
  for (const it of [ada, bob, eve]) expect(it.text()).toContain('two');
});

test('what two have removed stays removed', () => {
  const [ada, bob] = [machine(), machine()];
  ada.edit(1, 0, 'one');
  bob.takeFrom(ada.revisions);
  ada.edit(2, 0, null);
  bob.edit(3, 0, null);
  ada.takeFrom(bob.revisions);
  bob.takeFrom(ada.revisions);
  expect([ada.text(), bob.text()]).toEqual([null, null]);
});
