/** Transcripts as agents write them, in a sandbox's home. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Sandbox } from './sandbox.ts';

export interface Ran {
  readonly command: string;
  /** When it was asked for; the result is a second younger. */
  readonly at?: Date;
  /** It was refused, and did not run. */
  readonly refused?: true;
  readonly exitCode?: number;
}

export interface TranscriptWish {
  readonly session: string;
  readonly cwd: string;
  readonly ran: readonly Ran[];
  /** The commands are those of a sub-agent. */
  readonly bySubAgent?: true;
}

type Writer = (box: Sandbox, wish: TranscriptWish) => string;

let calls = 0;

const claudeCode: Writer = (box, { session, cwd, ran, bySubAgent }) => {
  const folder = join(box.home, '.claude/projects', cwd.replaceAll(/[^A-Za-z0-9]/g, '-'));
  const lines = ran.flatMap(({ command, at = new Date(), refused, exitCode = 0 }) => {
    calls += 1;
    const id = `toolu_${calls}`;
    const line = (type: string, after: number, content: object, more: object = {}) => ({
      ...{ isSidechain: bySubAgent === true, type, message: { role: type, content: [content] } },
      ...{ cwd, sessionId: session, version: '2.1.330', uuid: `${id}-${type}`, ...more },
      timestamp: new Date(at.getTime() + after).toISOString(),
    });
    const use = { type: 'tool_use', id, name: 'Bash', input: { command, description: 'x' } };
    const isError = refused === true || exitCode !== 0;
    const said = refused ? 'PreToolUse:Bash hook error: no' : `Exit code ${exitCode}`;
    const result = { type: 'tool_result', tool_use_id: id, content: said, is_error: isError };
    const outcome = isError ? `Error: ${said}` : { stdout: '', stderr: '', interrupted: false };
    const denied = refused ? { toolDenialKind: 'permission-rule' } : {};
    return [
      line('assistant', 0, use),
      line('user', 1_000, result, { toolUseResult: outcome, ...denied }),
    ];
  });
  const transcript = join(folder, `${session}.jsonl`);
  const file = bySubAgent ? join(folder, session, 'subagents/agent-a1.jsonl') : transcript;
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(transcript, '');
  appendFileSync(file, lines.map((it) => `${JSON.stringify(it)}\n`).join(''));
  return transcript;
};

function append(file: string, lines: readonly object[]): void {
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, lines.map((it) => `${JSON.stringify(it)}\n`).join(''));
}

const later = (at: Date, ms: number): string => new Date(at.getTime() + ms).toISOString();

/** A thread has a file of its own. Of a command that was refused there is no item. */
const codex: Writer = (box, { session, cwd, ran, bySubAgent }) => {
  const folder = join(box.home, '.codex/sessions', ...later(new Date(), 0).slice(0, 10).split('-'));
  const thread = (id: string) => ({
    file: join(
      folder,
      `rollout-${later(new Date(), 0).slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`,
    ),
    meta: {
      timestamp: later(new Date(), 0),
      type: 'session_meta',
      payload: {
        ...{ id, session_id: session, cwd, timestamp: later(new Date(), 0) },
        source: id === session ? 'exec' : { subagent: { thread_spawn: { depth: 1 } } },
      },
    },
  });
  const lines = ran.flatMap(({ command, at = new Date(), refused, exitCode = 0 }) => {
    calls += 1;
    const id = `call_${calls}`;
    const line = (type: string, after: number, payload: object) => ({
      ...{ timestamp: later(at, after), type, payload },
    });
    const item = {
      ...{ type: 'CommandExecution', id, command: ['/bin/bash', '-lc', command] },
      ...{ cwd: `file://${cwd}`, exit_code: exitCode },
    };
    return [
      line('response_item', 0, {
        ...{ type: 'function_call', name: 'exec_command', call_id: id },
        arguments: JSON.stringify({ cmd: command }),
      }),
      ...(refused ? [] : [line('event_msg', 900, { type: 'item_completed', item })]),
      line('response_item', 1_000, { type: 'function_call_output', call_id: id, output: '' }),
    ];
  });
  const own = thread(session);
  append(own.file, [own.meta, ...(bySubAgent ? [] : lines)]);
  const child = thread(`${session}-child`);
  if (bySubAgent) append(child.file, [child.meta, ...lines]);
  return own.file;
};

/** A call stands in the message that asked for it, with its result. */
const geminiCli: Writer = (box, { session, cwd, ran, bySubAgent }) => {
  const project = join(box.home, '.gemini/tmp/project');
  const header = { sessionId: session, startTime: later(new Date(), 0), kind: 'main' };
  const messages = ran.map(({ command, at = new Date(), refused }) => {
    calls += 1;
    const call = {
      ...{ id: `call_${calls}`, name: 'run_shell_command', args: { command } },
      ...{ status: refused ? 'error' : 'success', timestamp: later(at, 1_000) },
    };
    const message = { id: `message_${calls}`, timestamp: later(at, 0), type: 'gemini' };
    return { ...message, content: '', toolCalls: [call] };
  });
  const file = join(project, `chats/session-${session}.jsonl`);
  append(file, [header, ...(bySubAgent ? [] : messages)]);
  writeFileSync(join(project, '.project_root'), cwd);
  const child = { ...header, sessionId: 'child', kind: 'subagent' };
  if (bySubAgent) append(join(project, `chats/${session}/child.jsonl`), [child, ...messages]);
  return file;
};

/** What a sub-agent does stands beside what its parent does. */
const copilotCli: Writer = (box, { session, cwd, ran, bySubAgent }) => {
  const file = join(box.home, '.copilot/session-state', session, 'events.jsonl');
  const agent = bySubAgent ? { agentId: 'child' } : {};
  const event = (type: string, at: string, data: object) => ({
    type,
    data,
    ...agent,
    timestamp: at,
  });
  const start = { sessionId: session, startTime: later(new Date(), 0), context: { cwd } };
  const events = ran.flatMap(({ command, at = new Date(), refused, exitCode = 0 }) => {
    calls += 1;
    const call = { toolCallId: `call_${calls}` };
    const outcome = refused
      ? { success: false, error: { code: 'denied', message: 'no' } }
      : { success: true, shellExecution: { exitCode } };
    return [
      event('tool.execution_start', later(at, 0), {
        ...{ ...call, toolName: 'bash', arguments: { command } },
      }),
      event('tool.execution_complete', later(at, 1_000), { ...call, ...outcome }),
    ];
  });
  append(file, [event('session.start', later(new Date(), 0), start), ...events]);
  return file;
};

/** A database of all sessions. */
const opencode: Writer = (box, { session, cwd, ran, bySubAgent }) => {
  const file = join(box.home, '.local/share/opencode/opencode.db');
  mkdirSync(dirname(file), { recursive: true });
  const db = new Sqlite(file);
  db.exec(`
    CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, parent_id text, directory text,
      time_created integer, time_updated integer);
    CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text, data text);
    CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text, session_id text,
      time_created integer, data text);`);
  const add = (id: string, parent: string | null) =>
    db
      .prepare('INSERT OR IGNORE INTO session VALUES (?, ?, ?, ?, ?)')
      .run(id, parent, cwd, Date.now(), Date.now());
  add(session, null);
  if (bySubAgent) add(`${session}-child`, session);
  for (const { command, at = new Date(), refused, exitCode = 0 } of ran) {
    calls += 1;
    const time = { start: at.getTime(), end: at.getTime() + 1_000 };
    const outcome = refused
      ? { status: 'error', error: 'no' }
      : { status: 'completed', output: '', metadata: { exit: exitCode } };
    const state = { ...outcome, input: { command }, time };
    db.prepare('INSERT INTO part VALUES (?, ?, ?, ?, ?)').run(
      ...[`prt_${calls}`, `msg_${calls}`, bySubAgent ? `${session}-child` : session],
      at.getTime(),
      JSON.stringify({ type: 'tool', tool: 'bash', state }),
    );
  }
  db.close();
  return `${file}#${session}`;
};

/** By the name of the agent: each that has transcripts has a line here. */
export const TRANSCRIPT_WRITERS: Readonly<Record<string, Writer>> = {
  'claude-code': claudeCode,
  codex,
  'gemini-cli': geminiCli,
  'copilot-cli': copilotCli,
  opencode,
};

const FIXTURES = resolve(import.meta.dirname, '../fixtures/transcripts');
/** Where they were recorded. */
const RECORDED_IN = '/home/dev/project';

/** Puts what the real clients wrote where they keep it. @param root where they are said to have worked. */
export function placeRecordings({ home }: Sandbox, agent: string, root = RECORDED_IN): void {
  const from = join(FIXTURES, agent);
  const folder = join(home, RECORDING_FOLDERS[agent]?.(root) ?? agent);
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    const file = join(folder, relative(from, entry.parentPath), entry.name);
    mkdirSync(dirname(file), { recursive: true });
    const moved = text.replaceAll(RECORDED_IN, root);
    if (!entry.name.endsWith('.sql')) writeFileSync(file, moved);
    else {
      const db = new Sqlite(file.replace(/\.sql$/, '.db'));
      db.exec(moved);
      db.close();
    }
  }
}

const RECORDING_FOLDERS: Readonly<Record<string, (root: string) => string>> = {
  'claude-code': (root) => `.claude/projects/${root.replaceAll(/[^A-Za-z0-9]/g, '-')}`,
  codex: () => '.codex',
  'gemini-cli': () => '.gemini',
  'copilot-cli': () => '.copilot',
  opencode: () => '.local/share/opencode',
};
