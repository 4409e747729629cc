/** Recorded transcripts of a session and its sub-agent. */
import { appendFileSync, copyFileSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeCodeTranscripts } from '../../src/agents/claude-code/transcripts.ts';
import { sandbox } from '../support/sandbox.ts';

const RECORDED = resolve(import.meta.dirname, '../fixtures/transcripts/claude-code/session.jsonl');
const { files, ranCommands, recent } = claudeCodeTranscripts;

test('a recorded session ran nothing itself: its push was refused', () => {
  const { commands, end } = ranCommands(RECORDED, 0);
  expect(commands).toEqual([]);
  expect(end).toBe(statSync(RECORDED).size);
  expect(readFileSync(RECORDED, 'utf8')).toContain('"command":"git push origin main"');
});

test('its sub-agent ran a command', () => {
  const [, subAgent = '', ...others] = files(RECORDED);
  expect(others).toEqual([]);
  expect(ranCommands(subAgent, 0).commands).toEqual([
    {
      command: 'cat src/app.ts',
      cwd: '/home/dev/project',
      asked: new Date('2026-11-21T21:50:53.510Z'),
      done: new Date('2026-11-21T21:50:54.206Z'),
    },
  ]);
});

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
    expect(after.commands.map(({ command }) => command)).toEqual(['cat src/app.ts']);
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
});

test('sessions of a working tree are found by its folder, and by what they say of themselves', () => {
  const box = sandbox();
  const [, recorded = ''] = files(RECORDED);
  for (const [folder, session] of [
    ['-home-dev-project', 'here'],
    ['-home-dev-project-two', 'there'],
    ['-home-dev', 'above'],
  ] as const) {
    copyFileSync(recorded, box.write(`home/.claude/projects/${folder}/${session}.jsonl`, ''));
  }
  const place = { root: '/home/dev/project', env: box.env };
  const found = recent(place, new Date(0)).map(({ session, began }) => [session, began]);
  const began = new Date(JSON.parse(readFileSync(recorded, 'utf8').split('\n')[0] ?? '').timestamp);
  // A folder's name may stand for several; this one's sessions say that they are of this tree.
  expect(found.toSorted()).toEqual([
    ['here', began],
    ['there', began],
  ]);
  expect(recent({ ...place, root: '/home/dev/project-two' }, new Date(0))).toEqual([]);
  expect(recent(place, new Date(Date.now() + 60_000))).toEqual([]);
  const elsewhere = { ...box.env, CLAUDE_CONFIG_DIR: join(box.root, 'elsewhere') };
  expect(recent({ ...place, env: elsewhere }, new Date(0))).toEqual([]);
});
