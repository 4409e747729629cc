import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitIn } from '../../../src/base/git/git-in.ts';
import {
  addNoteLines,
  fetchNotes,
  NOTES_REF,
  noteLines,
  pushNotes,
  readNotes,
} from '../../../src/base/git/notes.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

/** A remote with one commit, and clones of it. */
function clones(box: Sandbox, ...names: string[]) {
  const remote = box.repo('remote.git', '--bare');
  const first = box.repo('first');
  const commit = box.commit(first);
  box.git(first, 'push', '--quiet', remote, 'main');
  const all = names.map((name) => {
    const folder = join(box.root, name);
    box.git(box.root, 'clone', '--quiet', remote, folder);
    return { folder, git: gitIn(folder, box.env) };
  });
  return { remote, commit, all };
}

const single = (box: Sandbox) => {
  const { all, ...rest } = clones(box, 'clone');
  const [clone] = all;
  if (clone === undefined) throw new Error('no clone');
  return { ...clone, ...rest };
};

test('a note is a set of lines', async () => {
  const { git, commit } = single(sandbox());
  await addNoteLines(git, commit, ['b', 'a', 'b']);
  await addNoteLines(git, commit, ['c', 'a']);
  expect(await noteLines(git, commit)).toEqual(['a', 'b', 'c']);
});

test('lines that are added at the same time are all kept', async () => {
  const { git, commit } = single(sandbox());
  const lines = [...'abcdef'];
  await Promise.all(lines.map((line) => addNoteLines(git, commit, [line])));
  expect(await noteLines(git, commit)).toEqual(lines);
});

test('nothing is left behind of the work on a copy', async () => {
  const box = sandbox();
  const { git, folder, commit } = single(box);
  await addNoteLines(git, commit, ['a']);
  await pushNotes(git, 'origin');
  await fetchNotes(git, 'origin');
  expect(box.git(folder, 'for-each-ref', '--format=%(refname)', 'refs/notes')).toBe(NOTES_REF);
});

test('a fetch tells how far it has come', async () => {
  const { all, commit } = clones(sandbox(), 'ada', 'bob');
  const [ada, bob] = all;
  if (ada === undefined || bob === undefined) throw new Error('no clones');
  await addNoteLines(ada.git, commit, ['a']);
  await pushNotes(ada.git, 'origin');
  const told: string[] = [];
  await fetchNotes(bob.git, 'origin', {
    progress: ({ stage, progress }) => told.push(`${stage} ${progress}`),
  });
  expect(told).toContainEqual(expect.stringMatching(/^\w+:? \d+$/));
  expect(await noteLines(bob.git, commit)).toEqual(['a']);
});

test('who pushes merges first: the lines of both are at the remote', async () => {
  const box = sandbox();
  const { all, commit, remote } = clones(box, 'ada', 'bob');
  for (const [at, { git }] of all.entries()) {
    await addNoteLines(git, commit, ['shared', `of ${at}`]);
    expect(await pushNotes(git, 'origin')).toBe('sent');
  }
  expect(await noteLines(gitIn(remote, box.env), commit)).toEqual(['of 0', 'of 1', 'shared']);
});

test('people who push at the same time lose nothing', async () => {
  const box = sandbox();
  const { all, commit, remote } = clones(box, 'ada', 'bob', 'eve');
  await Promise.all(
    all.map(async ({ git }, at) => {
      await addNoteLines(git, commit, [`of ${at}`]);
      await pushNotes(git, 'origin');
    }),
  );
  expect(await noteLines(gitIn(remote, box.env), commit)).toEqual(['of 0', 'of 1', 'of 2']);
});

test('a remote that moves between fetch and push is fetched again', async () => {
  const box = sandbox();
  const { all, commit, remote } = clones(box, 'ada', 'bob');
  const [ada, bob] = all;
  if (ada === undefined || bob === undefined) throw new Error('two clones are needed');
  await addNoteLines(bob.git, commit, ['of bob']);
  box.git(bob.folder, 'push', '--quiet', 'origin', `${NOTES_REF}:refs/heads/waiting`);
  // Moves the ref just before the first push writes it.
  const hook = box.write(
    join(remote, 'hooks/update'),
    `#!/bin/sh\n[ -e moved ] || { touch moved; git update-ref ${NOTES_REF} refs/heads/waiting; }\n`,
  );
  chmodSync(hook, 0o755);
  await addNoteLines(ada.git, commit, ['of ada']);
  expect(await pushNotes(ada.git, 'origin')).toBe('sent');
  expect(await noteLines(gitIn(remote, box.env), commit)).toEqual(['of ada', 'of bob']);
});

test('a remote that refuses the ref is said to', async () => {
  const box = sandbox();
  const { git, commit, remote } = single(box);
  chmodSync(box.write(join(remote, 'hooks/update'), '#!/bin/sh\nexit 1\n'), 0o755);
  await addNoteLines(git, commit, ['a']);
  await expect(pushNotes(git, 'origin')).rejects.toThrow(/of origin: .*hook declined/);
});

test('a refspec for notes in the configuration does not overwrite what is here', async () => {
  const box = sandbox();
  const { all, commit } = clones(box, 'ada', 'bob');
  const [ada, bob] = all;
  if (ada === undefined || bob === undefined) throw new Error('two clones are needed');
  await addNoteLines(bob.git, commit, ['of bob']);
  await pushNotes(bob.git, 'origin');
  box.git(ada.folder, 'config', '--add', 'remote.origin.fetch', '+refs/notes/*:refs/notes/*');
  await addNoteLines(ada.git, commit, ['of ada']);
  await fetchNotes(ada.git, 'origin');
  expect(await noteLines(ada.git, commit)).toEqual(['of ada', 'of bob']);
});

test('no hook of the repository runs for notes', async () => {
  const box = sandbox();
  const { git, commit, folder } = single(box);
  chmodSync(box.write(join(folder, '.git/hooks/pre-push'), '#!/bin/sh\nexit 1\n'), 0o755);
  await addNoteLines(git, commit, ['a']);
  expect(await pushNotes(git, 'origin')).toBe('sent');
});

test('a machine without a name can write notes', async () => {
  const box = sandbox();
  const { folder, commit } = single(box);
  const env = { ...box.env, GIT_CONFIG_GLOBAL: '/dev/null', EMAIL: '' };
  const git = gitIn(folder, env);
  box.git(folder, 'config', 'user.useConfigOnly', 'true');
  await addNoteLines(git, commit, ['a']);
  expect(await noteLines(git, commit)).toEqual(['a']);
});

test('notes of commits that are not here, or of no commit, are passed over', async () => {
  const box = sandbox();
  const { all, commit } = clones(box, 'ada', 'bob');
  const [ada, bob] = all;
  if (ada === undefined || bob === undefined) throw new Error('two clones are needed');
  const elsewhere = box.commit(bob.folder, 'only there');
  await addNoteLines(bob.git, elsewhere, ['far']);
  await addNoteLines(bob.git, commit, ['near']);
  const blob = box.git(bob.folder, 'rev-parse', `${NOTES_REF}:${commit}`);
  await addNoteLines(bob.git, blob, ['of a blob']);
  await pushNotes(bob.git, 'origin');
  await fetchNotes(ada.git, 'origin');
  expect(await readNotes(ada.git, commit)).toEqual({
    notes: [{ commit, lines: ['near'] }],
    unread: 0,
  });
});

test('a note that is too large is left out and counted', async () => {
  const box = sandbox();
  const { git, folder, commit } = single(box);
  await addNoteLines(git, commit, ['x'.repeat(5 * 1024 * 1024)]);
  const small = box.commit(folder, 'another');
  await addNoteLines(git, small, ['y']);
  expect(await readNotes(git, commit)).toEqual({
    notes: [{ commit: small, lines: ['y'] }],
    unread: 1,
  });
});
