/** What Claude Code sends at the moments that most tests need; recorded ones are in `fixtures/`. */
const moment = {
  session_id: 'session-1',
  transcript_path: '/dev/null',
  permission_mode: 'default',
};

export const beforeCommand = (cwd: string, command: string) => ({
  ...moment,
  cwd,
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command, description: 'what the model says that it does' },
});

export const beforeEdit = (cwd: string, file: string) => ({
  ...moment,
  cwd,
  hook_event_name: 'PreToolUse',
  tool_name: 'Edit',
  tool_input: { file_path: file, old_string: 'a', new_string: 'b' },
});

export const afterEdit = (cwd: string, file: string) => ({
  ...moment,
  cwd,
  hook_event_name: 'PostToolUse',
  tool_name: 'Edit',
  tool_input: { file_path: file, old_string: 'a', new_string: 'b' },
  tool_response: { filePath: file, oldString: 'a', newString: 'b' },
});

export const sessionStart = (cwd: string, source = 'startup') => ({
  ...moment,
  cwd,
  hook_event_name: 'SessionStart',
  source,
});

export const promptSubmit = (cwd: string) => ({
  ...moment,
  cwd,
  hook_event_name: 'UserPromptSubmit',
  prompt: 'Go on.',
});

export const beforeCompact = (cwd: string) => ({
  ...moment,
  cwd,
  hook_event_name: 'PreCompact',
  trigger: 'auto',
  custom_instructions: null,
});

export const stop = (cwd: string) => ({
  ...moment,
  cwd,
  hook_event_name: 'Stop',
  stop_hook_active: false,
});

export const beforeServerTool = (cwd: string, tool: string, input: object) => ({
  ...moment,
  cwd,
  hook_event_name: 'PreToolUse',
  tool_name: `mcp__${tool}`,
  tool_input: input,
});
