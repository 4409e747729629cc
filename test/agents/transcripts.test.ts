/** Transcripts that the real clients wrote, of sessions with an edit, a refused push, and a sub-agent. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeCodeTranscripts } from '../../src/agents/claude-code/transcripts.ts';
import type { AgentTranscripts, TranscriptEntry, Wanted } from '../../src/agents/definition.ts';
import { agentsWith } from '../../src/agents/registry.ts';
import { recordedSince } from '../../src/moments/watch/silent-sessions.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';
import { placeRecordings } from '../support/transcripts.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures/transcripts');

function readAll(it: AgentTranscripts, file: string, from = 0, wanted: Wanted = 'all') {
  const entries: TranscriptEntry[] = [];
  const reading = it.entries(file, from, wanted);
  for (;;) {
    const { done, value } = reading.next();
    if (done) return { entries, end: value };
    entries.push(value);
  }
}

const commandsOf = (it: AgentTranscripts, file: string, from = 0) => {
  const { entries, end } = readAll(it, file, from, 'commands');
  return { commands: entries.map(({ text }) => text), end };
};

const recent = (...[it, ...wish]: Parameters<typeof recordedSince>) => [
  ...recordedSince(it, ...wish),
];

const place = (box: Sandbox) => ({ root: '/home/dev/project', env: box.env });

const shown = ({ kind, text, ...more }: TranscriptEntry): string => {
  const where =
    'paths' in more ? ` ${more.paths.join(' ')}` : 'cwd' in more ? ` in ${more.cwd}` : '';
  return `${kind}: ${text.replaceAll('\n', ' ').slice(0, 70)}${where}`;
};

describe.each(agentsWith('transcripts').map((it) => ({ name: it.name, it })))(
  '$name',
  ({ name, it }) => {
    test('tells what was said and done in each of its sessions', async () => {
      const box = sandbox();
      placeRecordings(box, name);
      const transcripts = await it.transcripts();
      const sessions = recent(transcripts, place(box), new Date(0));
      const told = sessions
        .toSorted((one, other) => one.began.getTime() - other.began.getTime())
        .map(({ session, transcript, cwd, began }) => {
          expect(Number.isNaN(began.getTime())).toBe(false);
          expect(cwd).toBe('/home/dev/project');
          const files = transcripts.files(transcript);
          expect(files[0]).toBe(transcript);
          return {
            session,
            said: files.map((file) => readAll(transcripts, file).entries.map(shown)),
          };
        });
      await expect(JSON.stringify(told, null, 1)).toMatchFileSnapshot(
        join(FIXTURES, name, 'entries.json'),
      );
    });

    test('what was read is not read again, and only what is asked for is told', async () => {
      const box = sandbox();
      placeRecordings(box, name);
      const transcripts = await it.transcripts();
      for (const { transcript } of recent(transcripts, place(box), new Date(0))) {
        for (const file of transcripts.files(transcript)) {
          const { entries, end } = readAll(transcripts, file);
          expect(readAll(transcripts, file, end)).toEqual({ entries: [], end });
          const commands = entries.filter(({ kind }) => kind === 'command');
          expect(readAll(transcripts, file, 0, 'commands')).toEqual({ entries: commands, end });
          for (const { at, done } of commands.filter((entry) => entry.kind === 'command')) {
            expect(at.getTime()).toBeLessThanOrEqual(done.getTime());
          }
          // A position is the same, wherever the reading began.
          const later = entries.filter(({ position }) => position > (entries[0]?.position ?? 0));
          const [first] = later;
          if (first === undefined) continue;
          const again = readAll(transcripts, file, first.position).entries;
          expect(again.map(({ position }) => position)).toEqual(
            later
              .filter((entry) => again.some((that) => that.position === entry.position))
              .map((entry) => entry.position),
          );
        }
      }
    });

    test('finds no sessions of other folders, later times or other homes', async () => {
      const box = sandbox();
      placeRecordings(box, name);
      const transcripts = await it.transcripts();
      expect(
        recent(transcripts, { ...place(box), root: '/home/dev/project-two' }, new Date(0)),
      ).toEqual([]);
      expect(recent(transcripts, place(box), new Date('2100-01-01'))).toEqual([]);
      expect(
        recent(
          transcripts,
          { root: '/home/dev/project', env: { HOME: join(box.root, 'x') } },
          new Date(0),
        ),
      ).toEqual([]);
    });

    test.each([
      ['nothing', ''],
      ['no JSON', '{"type":"tool_use"\n[[[\n\0\0\n'],
      [
        'values of other types',
        '{"type":1,"message":{"content":[1,{}]},"payload":[],"data":7}\nnull\n',
      ],
      ['a thousand arrays in one another', `${'['.repeat(1000)}${']'.repeat(1000)}\n`],
    ])('gives nothing for a file with %s', async (_, text) => {
      const box = sandbox();
      placeRecordings(box, name);
      const transcripts = await it.transcripts();
      const [{ transcript } = { transcript: '' }] = recent(transcripts, place(box), new Date(0));
      const [path = ''] = transcript.split('#');
      renameSync(path, `${path}.old`);
      writeFileSync(path, text);
      const found = () => readAll(transcripts, transcript).entries;
      if (transcript === path) expect(found()).toEqual([]);
      else expect(found).toThrow();
      // Its neighbours are read all the same.
      expect(transcripts.files(transcript)).toContain(transcript);
      expect(() => recent(transcripts, place(box), new Date(0))).not.toThrow();
    });

    test('does not wait for a pipe in the place of a file', async () => {
      const box = sandbox();
      placeRecordings(box, name);
      const transcripts = await it.transcripts();
      const [{ transcript } = { transcript: '' }] = recent(transcripts, place(box), new Date(0));
      const [path = ''] = transcript.split('#');
      renameSync(path, `${path}.old`);
      execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', path]);
      expect(readAll(transcripts, transcript).entries).toEqual([]);
    });
  },
);

const RECORDED = join(FIXTURES, 'claude-code/session.jsonl');
const { files } = claudeCodeTranscripts;
const ranCommands = (file: string, from: number) => commandsOf(claudeCodeTranscripts, file, from);

describe('a transcript that grows', () => {
  const [, recorded = ''] = files(RECORDED);

  test('is read from where it was read last, and a call without result again', () => {
    const box = sandbox();
    const file = box.write('session.jsonl', '');
    const lines = readFileSync(recorded, 'utf8').split('\n');
    const asked = lines.find((it) => it.includes('"tool_use"')) ?? '';
    const done = lines.find((it) => it.includes('"tool_result"')) ?? '';
    appendFileSync(file, `${asked.replace('"Bash"', '"Read"')}\n${asked}\n`);
    const before = ranCommands(file, 0);
    expect(before.commands).toEqual([]);
    appendFileSync(file, done);
    // The line is not whole yet.
    expect(ranCommands(file, before.end)).toEqual(before);
    appendFileSync(file, '\nnot JSON\n');
    const after = ranCommands(file, before.end);
    expect(after.commands).toEqual(['cat src/app.ts']);
    expect(after.end).toBe(statSync(file).size);
    expect(ranCommands(file, after.end).commands).toEqual([]);
  });

  test('is read from its beginning if it is shorter than before', () => {
    expect(ranCommands(recorded, 10_000_000).commands).toHaveLength(1);
  });

  test('is read from its end only where too much is new', () => {
    const box = sandbox();
    const text = readFileSync(recorded, 'utf8');
    const file = box.write('s.jsonl', `${text}${'{"type":"x"}\n'.repeat(400_000)}${text}`);
    expect(ranCommands(file, 0).commands).toHaveLength(1);
  });

  test('tells when a command was asked for, and when it had a result', () => {
    expect(readAll(claudeCodeTranscripts, recorded, 0, 'commands').entries).toMatchObject([
      { at: new Date('2026-11-21T21:50:53.510Z'), done: new Date('2026-11-21T21:50:54.206Z') },
    ]);
  });
});

test('the folder of Claude Code’s sessions may stand for several working trees', () => {
  const box = sandbox();
  const [, recorded = ''] = files(RECORDED);
  for (const [folder, session] of [
    ['-home-dev-project', 'here'],
    ['-home-dev-project-two', 'there'],
    ['-home-dev', 'above'],
  ] as const) {
    copyFileSync(recorded, box.write(`home/.claude/projects/${folder}/${session}.jsonl`, ''));
  }
  const found = recent(claudeCodeTranscripts, place(box), new Date(0)).map(
    ({ session }) => session,
  );
  expect(found.toSorted()).toEqual(['here', 'there']);
  const elsewhere = { ...box.env, CLAUDE_CONFIG_DIR: join(box.root, 'elsewhere') };
  expect(recent(claudeCodeTranscripts, { ...place(box), env: elsewhere }, new Date(0))).toEqual([]);
});

test('a session of Codex that began later belongs to another parent', async () => {
  const box = sandbox();
  placeRecordings(box, 'codex');
  const [codex] = agentsWith('transcripts').filter(({ name }) => name === 'codex');
  const transcripts = await codex?.transcripts();
  const sessions = transcripts ? recent(transcripts, place(box), new Date(0)) : [];
  const counts = sessions.map(({ transcript }) => transcripts?.files(transcript).length);
  expect(counts.toSorted()).toEqual([1, 2]);
  expect(sessions.every(({ transcript }) => basename(dirname(transcript)) === '23')).toBe(true);
});
