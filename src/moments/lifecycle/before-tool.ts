/** Sends commands to the gate, and keeps edits from changing lanehold's own files. */
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import { hookAfterCalls } from './git-hold.ts';
import { type Handler, NO_OPINION, withText } from './handler.ts';
import { withToolRecall } from './tool-recall.ts';

export const beforeTool: Handler<'before-tool'> = async (event, caller) => {
  const hook = await hookAfterCalls(event, caller);
  const reply = await judged(event, caller);
  return withText(await withToolRecall(event, reply, caller), hook);
};

const judged: Handler<'before-tool'> = async (event, caller) => {
  const { call, cwd, session } = event;
  const mark = laneMark(caller.env, cwd);
  if (mark !== undefined) {
    const { beforeToolInLane } = await import('./in-lane.ts');
    return beforeToolInLane(event, mark, caller);
  }
  switch (call.tool) {
    case 'shell': {
      const { beforeCommand } = await import('./before-command.ts');
      return beforeCommand(call, { cwd, session }, caller);
    }
    case 'edit': {
      const { beforeEdit } = await import('./guarded-files.ts');
      return beforeEdit(call.paths, caller);
    }
    case 'mcp': {
      const { beforeToolCall } = await import('./before-tool-call.ts');
      return beforeToolCall(call, { cwd, session }, caller);
    }
    case 'other':
      return NO_OPINION;
  }
};
