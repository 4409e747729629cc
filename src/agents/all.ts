// biome-ignore-all lint/performance/noBarrelFile: the list of agents, one line for each.
export { antigravity } from './antigravity/agent.ts';
export { claudeCode } from './claude-code/agent.ts';
export { codex } from './codex/agent.ts';
export { copilotCli } from './copilot-cli/agent.ts';
export { cursor } from './cursor/agent.ts';
export { geminiCli } from './gemini-cli/agent.ts';
export { grok } from './grok/agent.ts';
export { kiro } from './kiro/agent.ts';
export { opencode } from './opencode/agent.ts';
export { vscodeCopilot } from './vscode-copilot/agent.ts';
export { windsurf } from './windsurf/agent.ts';
