import type { AgentDefinition } from '../definition.ts';

export const cursor: AgentDefinition = {
  name: 'cursor',
  title: 'Cursor',
  marks: { present: ['CURSOR_AGENT'], others: ['CURSOR_CONVERSATION_ID', 'CURSOR_TRACE_ID'] },
  worker: {
    // Newer installations call it `agent`, as other programs do, too: the setting `program` says so.
    program: 'cursor-agent',
    credentials: { keys: ['CURSOR_API_KEY'], places: ['CURSOR_CONFIG_DIR'] },
    load: async () => (await import('./worker.ts')).cursorWorker,
  },
};
