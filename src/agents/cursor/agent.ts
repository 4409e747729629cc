import type { AgentDefinition } from '../definition.ts';
import { cursorHooks } from './hooks.ts';

export const cursor: AgentDefinition = {
  name: 'cursor',
  title: 'Cursor',
  memory: [
    { kind: 'plan', files: '.cursor/plans/*.md' },
    { kind: 'plan', files: '~/.cursor/plans/*.md', of: 'projects that it names' },
  ],
  marks: {
    present: ['CURSOR_AGENT'],
    others: [
      'CURSOR_CODE_REMOTE',
      'CURSOR_CONVERSATION_ID',
      'CURSOR_PROJECT_DIR',
      'CURSOR_TRACE_ID',
      'CURSOR_TRANSCRIPT_PATH',
      'CURSOR_VERSION',
    ],
  },
  hooks: cursorHooks,
  guards: {
    problems: async () => (await import('./problems.ts')).problems,
    folderVariable: { name: 'CURSOR_CONFIG_DIR', folder: '.cursor' },
    files: ['.cursor/hooks.json', '.cursor/rules/lanehold.mdc'],
    managed: ['/etc/cursor', '/Library/Application Support/Cursor'],
    programs: ['cursor-agent'],
    without: ['-p', '--print', '-f', '--force', '--yolo'],
  },
  install: async () => (await import('./install.ts')).cursorInstall,
  rules: {
    file: '.cursor/rules/lanehold.mdc',
    head: '---\ndescription: What lanehold holds back\nalwaysApply: true\n---',
    maxUnits: 9_900,
  },
  worker: {
    // Newer installations call it `agent`, a name that other programs have as well: users of these
    // set `program`.
    program: 'cursor-agent',
    credentials: { keys: ['CURSOR_API_KEY'], places: ['CURSOR_CONFIG_DIR'] },
    lacksProjectHooks: true,
    attach: (session) => ['--resume', session],
    load: async () => (await import('./worker.ts')).cursorWorker,
  },
};
