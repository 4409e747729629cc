/** Judges tools of MCP servers: one that writes to a forge, a registry or a cloud is a boundary. */
import { resolve } from 'node:path';
import type { Reply, ToolCall } from '../../agents/types.ts';
import { words } from '../../base/text/options.ts';
import { HOOK_SETTING, hookSetting, isSwitchForLater } from '../../commands/guard/layers.ts';
import { commandOfTool, namesIn, toolCallBoundary } from '../../commands/tool-call.ts';
import { beforeCommand, type CommandOrigin, gateReply } from './before-command.ts';
import { asked, beforeEdit } from './guarded-files.ts';
import { type Caller, NO_OPINION } from './handler.ts';
import { readingContext } from './reading-context.ts';

type ServerToolCall = ToolCall & { readonly tool: 'mcp' };

export async function beforeToolCall(
  call: ServerToolCall,
  origin: CommandOrigin,
  caller: Caller,
): Promise<Reply> {
  const reply = await judged(call, origin, caller);
  return reply.decision === 'none' ? beforeServerEdit(call, origin.cwd, caller) : reply;
}

function judged(call: ServerToolCall, origin: CommandOrigin, caller: Caller): Promise<Reply> {
  const command = commandOfTool(call);
  if (command !== undefined) {
    return beforeCommand({ tool: 'shell', command, edited: [] }, origin, caller);
  }
  const { boundaries } = readingContext(origin.cwd, caller.env);
  const boundary = toolCallBoundary(call, origin.cwd, boundaries?.(origin.cwd) ?? []);
  const findings = boundary === undefined ? [] : [boundary];
  const name = `mcp ${call.server} ${call.name}`;
  return gateReply({ findings, commands: [] }, name, origin, caller);
}

// Every text of the input that may be a path is guarded like that of an edit.

/** Asks a person if a tool of a server would change such a file, or hooks of git, unless it only reads. */
function beforeServerEdit(
  { name, input }: ServerToolCall,
  cwd: string,
  caller: Pick<Caller, 'env'>,
): Reply {
  const isFor = (verbs: string) => namesIn(name).some((it) => words(verbs).has(it));
  if (isFor(READS) && !isFor(CHANGES) && !isFor(TAKES_AWAY)) return NO_OPINION;
  const texts = textsIn(input).slice(0, MOST_TEXTS);
  const setting = texts.map(({ text }) => hookSetting(text)).find((it) => it !== undefined);
  if (setting !== undefined) return asked(HOOK_SETTING, setting, 'call');
  const paths = pathsAmong(texts, cwd, caller.env);
  const later = paths.find((path) => texts.some(({ text }) => isSwitchForLater(path, text)));
  if (later !== undefined)
    return asked('write a switch for lanehold into a start-up file', later, 'call');
  return beforeEdit(paths, caller, { subject: 'call', use: isFor(TAKES_AWAY) ? 'tree' : 'file' });
}

const READS =
  'read get list search find view show describe stat tree grep glob open diff log status';
const CHANGES =
  'write edit create update set put save append insert replace patch apply copy modify';
const TAKES_AWAY = 'delete remove rm move mv rename trash';
const MOST_TEXTS = 1_000;

interface NamedText {
  readonly key: string;
  readonly text: string;
}

function textsIn(value: unknown, key = '', depth = 0): readonly NamedText[] {
  if (typeof value === 'string') return [{ key, text: value }];
  if (typeof value !== 'object' || value === null || depth > 5) return [];
  return Object.entries(value).flatMap(([name, it]) =>
    textsIn(it, Array.isArray(value) ? key : name, depth + 1),
  );
}

/** Keys of the folders in which a tool works; it does not change these as files. */
const FOLDER = /^(?:cwd|root|work(?:space|ing|dir)|repo|project|base_?(?:dir|path|folder))/i;

function pathsAmong(texts: readonly NamedText[], cwd: string, { HOME = '~' }: NodeJS.ProcessEnv) {
  const lines = texts.filter(({ text }) => /^[^\n\0]{1,1000}$/.test(text));
  const isFolder = ({ key }: NamedText) => FOLDER.test(key);
  const folders = [cwd, ...lines.filter(isFolder).map(({ text }) => resolve(cwd, text))];
  const files = lines
    .filter((it) => !isFolder(it))
    .map(({ text }) => text.replace(/^file:\/\//, '').replace(/^~(?=\/)/, HOME));
  return folders.flatMap((folder) => files.map((file) => resolve(folder, file)));
}
