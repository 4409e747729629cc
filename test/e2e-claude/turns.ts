/** What the model does, in the client's own tools. */
import { join } from 'node:path';
import type { DemoProject } from '../../scripts/demo/demo-project.ts';
import type { ToolUse, Turn } from '../e2e/model.ts';
import { SOURCE } from '../e2e/project.ts';

/** The client wants a file read before it is edited. */
export function editTurns(demo: DemoProject): Turn[] {
  return [read(demo), edit(demo, '3000', '4000')];
}

export function read(demo: DemoProject): Turn {
  return use({ name: 'Read', input: { file_path: join(demo.project, SOURCE) } });
}

export function edit(demo: DemoProject, from: string, to: string): Turn {
  const file_path = join(demo.project, SOURCE);
  return use({ name: 'Edit', input: { file_path, old_string: from, new_string: to } });
}

export function bash(command: string): Turn {
  return use(shell(command));
}

export function shell(command: string): ToolUse {
  return { name: 'Bash', input: { command, description: 'run a command' } };
}

export function use(call: ToolUse): Turn {
  return { use: [call] };
}
