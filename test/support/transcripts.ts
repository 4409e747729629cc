/** Transcripts as agents write them, in a sandbox's home. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** By the name of the agent: each that has transcripts has a line here. */
export const TRANSCRIPT_WRITERS: Readonly<Record<string, Writer>> = { 'claude-code': claudeCode };
