/**
 * The payloads that Gemini CLI sends to hooks, and the answers that it takes.
 *
 * JSON on stdout decides, with any exit code; other text would be shown, or would refuse a tool.
 *
 * @see https://github.com/google-gemini/gemini-cli/blob/main/docs/hooks/reference.md
 */
import { resolve } from 'node:path';
import { isJsonObject, type JsonObject, objectOr } from '../../base/text/json.ts';
import { USUAL } from '../definition.ts';
import { agentHooks, jsonOutput, specific, specificAnswers } from '../kit/hooks.ts';
import { edited, isPath, payloadReader } from '../kit/payload.ts';
import { wholeList } from '../kit/tasks.ts';
import type { ToolCall } from '../types.ts';

const at = payloadReader('Gemini CLI', {
  shell: ['run_shell_command'],
  rewritable: ['run_shell_command'],
  folder: 'dir_path',
  edit: ['write_file', 'replace'],
  server: [/^mcp_(.+?)_(.+)$/s],
  // The tool writes the whole list.
  tasks: ['write_todos'],
});

const EVENTS = {
  'session-start': 'SessionStart',
  'prompt-submit': 'BeforeAgent',
  'before-tool': 'BeforeTool',
  'after-tool': 'AfterTool',
  stop: 'AfterAgent',
  'before-compact': 'PreCompress',
  'session-end': 'SessionEnd',
};

export const geminiCliHooks = agentHooks(at, {
  events: EVENTS,
  capabilities: {
    ...USUAL,
    // It has no question: a run without a person would wait for the answer for ever.
    takesContext: ['session-start', 'prompt-submit', 'after-tool'],
    rewritesInput: ['before-tool'],
    // A command may be silent for this long; the setting that changes it is no variable.
    shellTime: { defaultMs: 300_000 },
    cannotSee: [
      'a command that the user types after `!`',
      'a session with `--extensions` that names others',
    ],
    knownFrom: 'real client',
  },
  sends: ({ hook_event_name: event, session_id: session }, env) =>
    /^(?:Before|After)(?:Agent|Model|Tool)$/.test(String(event)) ||
    (session !== undefined && env.GEMINI_SESSION_ID === session),
  answers: {
    told: specificAnswers(EVENTS).told,
    denied: (_event, reason) => jsonOutput({ decision: 'deny', reason }),
    // The model learns that its input was changed; the reason is shown to the person, and the new command contains it.
    rewritten: (_event, input, text) =>
      jsonOutput({ systemMessage: text, ...specific('BeforeTool', { tool_input: input }) }),
  },
  read(event, payload, processCwd) {
    const { cwd, moment: ofTool, recorded } = at.origin(payload, processCwd);
    const moment = event === 'before-tool' ? ofTool : { ...ofTool, cwd };
    if (event === 'before-compact' && payload.trigger !== 'manual') return undefined;
    if (event === 'prompt-submit') {
      return { ...moment, kind: event, prompt: spoken(at.text(payload, 'prompt')) };
    }
    const response = objectOr(payload.tool_response) ?? {};
    if (event === 'after-tool' && at.tools.tasks?.includes(String(payload.tool_name))) {
      // A list that the client does not accept changes nothing.
      const todos = response.error ? undefined : objectOr(payload.tool_input)?.todos;
      const change = wholeList(todos, 'description');
      return change && { ...moment, kind: 'tasks', change };
    }
    return at.usual(event, payload, {
      moment,
      recorded,
      call: () => toolCall(payload, response, cwd),
      failed: isJsonObject(response.error),
      said: 'prompt_response',
    });
  },
});

/** The prompt as it was written: in a headless run, the first one follows the text of hooks at the session's start. */
const spoken = (prompt: string | undefined): string | undefined =>
  prompt?.replace(/^(?:<hook_context>[\s\S]*?<\/hook_context>\s*)+/, '');

function toolCall(payload: JsonObject, response: JsonObject, cwd: string): ToolCall {
  const name = at.name(payload, 'tool_name');
  const call = at.callOf(name, payload.tool_input, cwd);
  // The model often writes a relative path; the payload after the tool has the path of the file.
  const written = objectOr(response.returnDisplay)?.filePath;
  if (call.tool === 'edit' && isPath(written)) return edited(resolve(cwd, written));
  if (call.tool !== 'mcp' && call.tool !== 'other') return call;
  // A field beside the name `mcp_server_tool` has the server's name.
  const known = objectOr(payload.mcp_context) ?? {};
  const server = at.text(known, 'server_name');
  const tool = at.text(known, 'tool_name');
  if (call.tool === 'mcp') {
    return { ...call, server: server ?? call.server, name: tool ?? call.name };
  }
  if (server === undefined || tool === undefined) return call;
  return { tool: 'mcp', server, name: tool, input: objectOr(payload.tool_input) ?? {} };
}
