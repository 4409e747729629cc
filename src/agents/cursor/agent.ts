import type { AgentDefinition } from '../definition.ts';

export const cursor: AgentDefinition = {
  name: 'cursor',
  title: 'Cursor',
  marks: { present: ['CURSOR_AGENT'], others: ['CURSOR_CONVERSATION_ID', 'CURSOR_TRACE_ID'] },
  starts: {
    programs: ['cursor-agent'],
    without: ['-p', '--print', '-f', '--force', '--yolo'],
    places: ['CURSOR_CONFIG_DIR', 'HOME'],
  },
  worker: {
    // Newer installations call it `agent`, a name that other programs have as well: users of these
    // set `program`.
    program: 'cursor-agent',
    credentials: { keys: ['CURSOR_API_KEY'], places: ['CURSOR_CONFIG_DIR'] },
    load: async () => (await import('./worker.ts')).cursorWorker,
  },
};
