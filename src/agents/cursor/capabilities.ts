/** What the client lets a hook do, and its own names of events and tools. */
import { type Capabilities, USUAL } from '../definition.ts';

/** Tools that write or remove one file. */
export const EDIT_TOOLS: readonly string[] = ['Write', 'Delete'];
export const SHELL_TOOL = 'Shell';
/** Before the name of a server's tool, where the server is not said. */
export const SERVER_TOOL = 'MCP:';

/** The one event before a tool at which a question reaches the person. */
export const BEFORE_SHELL = 'beforeShellExecution';

export const CAPABILITIES: Capabilities = {
  ...USUAL,
  // Cursor asks its person about shell commands only; the adapter makes any other question a denial.
  asks: ['before-tool'],
  // The client does not wait for it, and its first request may go without it.
  takesContext: ['session-start'],
  failClosed: 'failClosed: true',
  cannotSee: [
    'what its cloud agents do where the hooks are not in the repository',
    'a command that the user types into a terminal of their own',
  ],
  knownFrom: 'documentation',
};
