/** Lines as the agents print them, as far as anybody reads them. */
import type { WorkerEnd, WorkerReader } from '../../../src/agents/worker/worker.ts';

type Fields = Readonly<Record<string, unknown>>;

export const SESSION = '0f7b7c6e-51b8-4a59-9a6a-0a3e5b1f2c11';
export const NOW = new Date('2026-11-22T10:00:00Z');

export const claude = {
  init: () => ({
    type: 'system',
    subtype: 'init',
    cwd: '/home/dev/project',
    session_id: SESSION,
    tools: ['Bash', 'Edit', 'Read'],
    model: 'some-model',
    permissionMode: 'acceptEdits',
    apiKeySource: 'none',
  }),
  says: (text: string, fields: Fields = {}, message: Fields = {}) => ({
    type: 'assistant',
    message: {
      id: `msg_${text.length}`,
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text }],
      usage: usage(100, 1),
      ...message,
    },
    parent_tool_use_id: null,
    session_id: SESSION,
    ...fields,
  }),
  calls: (id: string, name: string, input: Fields) =>
    claude.says('', {}, { id: `msg_${id}`, content: [{ type: 'tool_use', id, name, input }] }),
  denied: (id: string) => ({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, is_error: true, content: 'not allowed' }],
    },
    session_id: SESSION,
    tool_result_meta: [
      {
        id,
        non_execution_kind: 'permission-rule',
        permission_decision: { decision: 'reject', source: 'hook', reason_type: 'hook' },
      },
    ],
  }),
  result: (fields: Fields = {}) => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    api_error_status: null,
    terminal_reason: 'completed',
    stop_reason: 'end_turn',
    num_turns: 3,
    result: 'Done.',
    session_id: SESSION,
    total_cost_usd: 0.25,
    usage: { ...usage(500, 100), cache_read_input_tokens: 40, cache_creation_input_tokens: 7 },
    permission_denials: [],
    ...fields,
  }),
  /** The program ends with 1, the subtype stays `success`. */
  apiError: (status: number | null, result: string) =>
    claude.result({
      is_error: true,
      api_error_status: status,
      terminal_reason: 'api_error',
      result,
      num_turns: 1,
    }),
};

function usage(input: number, output: number): Fields {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
}

export const codex = {
  thread: () => ({ type: 'thread.started', thread_id: SESSION }),
  turn: () => ({ type: 'turn.started' }),
  item: (item: Fields, type = 'item.completed') => ({ type, item }),
  says: (text: string) => codex.item({ id: `item_${text}`, type: 'agent_message', text }),
  runs: (id: string, command: string, status = 'completed') =>
    codex.item({ id, type: 'command_execution', command, exit_code: 0, status }),
  edits: (id: string) =>
    codex.item({
      id,
      type: 'file_change',
      changes: [{ path: 'a.ts', kind: 'update' }],
      status: 'completed',
    }),
  done: () => ({
    type: 'turn.completed',
    usage: { input_tokens: 900, cached_input_tokens: 600, output_tokens: 50 },
  }),
  failed: (message: string) => ({ type: 'turn.failed', error: { message } }),
  error: (message: string) => ({ type: 'error', message }),
};

export const gemini = {
  init: () => ({ type: 'init', session_id: SESSION, model: 'some-model' }),
  says: (content: string, fields: Fields = {}) => ({
    type: 'message',
    role: 'assistant',
    content,
    delta: true,
    ...fields,
  }),
  calls: (tool_id: string) => ({
    type: 'tool_use',
    tool_name: 'replace',
    tool_id,
    parameters: { file_path: 'a.ts' },
  }),
  answers: (tool_id: string, error?: Fields) => ({
    type: 'tool_result',
    tool_id,
    status: error === undefined ? 'success' : 'error',
    ...(error === undefined ? { output: 'ok' } : { error }),
  }),
  result: (fields: Fields = {}) => ({
    type: 'result',
    status: 'success',
    stats: {
      total_tokens: 1_100,
      input_tokens: 1_000,
      output_tokens: 100,
      cached: 300,
      input: 700,
      duration_ms: 900,
      tool_calls: 1,
    },
    ...fields,
  }),
  failed: (error: Fields) => gemini.result({ status: 'error', error }),
  /** What stderr ends with when the service has refused. */
  stderr: (error: Fields) =>
    `Loaded cached credentials.\n${JSON.stringify({ session_id: SESSION, error }, undefined, 2)}\n`,
};

export const cursor = {
  init: () => ({ type: 'system', subtype: 'init', session_id: SESSION, model: 'x' }),
  says: (text: string) => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    session_id: SESSION,
  }),
  call: (call_id: string, subtype: 'started' | 'completed', result?: Fields) => ({
    type: 'tool_call',
    subtype,
    call_id,
    tool_call: { shellToolCall: { args: { command: 'npm test' }, ...(result && { result }) } },
    session_id: SESSION,
  }),
  result: (fields: Fields = {}) => ({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 900,
    result: 'Done.',
    session_id: SESSION,
    usage: { inputTokens: 500, outputTokens: 90, cacheReadTokens: 70, cacheWriteTokens: 5 },
    ...fields,
  }),
};

export const opencode = {
  line: (type: string, fields: Fields = {}) => ({ type, sessionID: SESSION, ...fields }),
  start: () => opencode.line('step_start', { part: { type: 'step-start' } }),
  says: (text: string) => opencode.line('text', { part: { type: 'text', text } }),
  tool: (state: Fields) =>
    opencode.line('tool_use', { part: { type: 'tool', tool: 'bash', state } }),
  finish: (reason: string) =>
    opencode.line('step_finish', {
      part: {
        type: 'step-finish',
        reason,
        cost: 0.125,
        tokens: { total: 130, input: 100, output: 10, reasoning: 5, cache: { read: 12, write: 3 } },
      },
    }),
  error: (name: string, data: Fields) => opencode.line('error', { error: { name, data } }),
};

export const copilot = {
  event: (type: string, data: Fields) => ({
    type,
    data,
    id: 'e',
    timestamp: 'now',
    parentId: null,
  }),
  start: () => copilot.event('session.start', { sessionId: SESSION }),
  says: (content: string) => copilot.event('assistant.message', { content, toolRequests: [] }),
  call: (toolCallId: string) =>
    copilot.event('tool.execution_start', {
      toolCallId,
      toolName: 'bash',
      arguments: { command: 'npm test' },
    }),
  end: (toolCallId: string, error?: Fields) =>
    copilot.event('tool.execution_complete', {
      toolCallId,
      success: error === undefined,
      ...(error === undefined ? {} : { error }),
    }),
  usage: () =>
    copilot.event('assistant.usage', {
      inputTokens: 100,
      outputTokens: 10,
      cacheReadTokens: 40,
      cacheWriteTokens: 2,
    }),
  error: (data: Fields) => copilot.event('session.error', data),
  result: (exitCode: number) => ({
    type: 'result',
    sessionId: SESSION,
    exitCode,
    usage: { premiumRequests: 1 },
  }),
};

export function read(reader: WorkerReader, lines: readonly (Fields | string)[]): WorkerReader {
  for (const line of lines) reader.line(typeof line === 'string' ? line : JSON.stringify(line));
  return reader;
}

export const ended = (end: Partial<WorkerEnd> = {}): WorkerEnd => ({
  code: 0,
  stderr: '',
  acted: true,
  now: NOW,
  ...end,
});
