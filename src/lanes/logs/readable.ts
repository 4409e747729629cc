/**
 * A worker's stream in readable form: what it said, and which tools it used. Lines that are not JSON
 * are shown as they are; other JSON is left out.
 */
import {
  type JsonObject,
  jsonLine,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../text/json.ts';
import { printable, printableLine } from '../../text/printable.ts';

const LINE_CHARS = 200;

export function readable(line: string): string[] {
  if (line.trim() === '') return [];
  const event = jsonLine(line);
  if (event === undefined) return [printable(line)];
  return [...fromMessage(event), ...fromItem(event), ...fromEnd(event)];
}

/** `{"type":"assistant"|"user","message":{"content":[…]}}`. */
function fromMessage(event: JsonObject): string[] {
  return objectsAt(objectAt(event, 'message'), 'content').flatMap((part) => {
    switch (textAt(part, 'type')) {
      case 'text':
        return textAt(event, 'type') === 'assistant' ? said(textAt(part, 'text')) : [];
      case 'tool_use':
        return [used(textAt(part, 'name') ?? 'a tool', inputOf(objectAt(part, 'input')))];
      case 'tool_result':
        return part.is_error === true ? [failed(resultText(part))] : [];
      default:
        return [];
    }
  });
}

/** `{"type":"item.completed","item":{"type":…}}`. */
function fromItem(event: JsonObject): string[] {
  if (textAt(event, 'type') !== 'item.completed') return [];
  const item = objectAt(event, 'item');
  switch (textAt(item, 'type')) {
    case 'agent_message':
      return said(textAt(item, 'text'));
    case 'command_execution': {
      const code = numberAt(item, 'exit_code') ?? 0;
      const line = used('shell', textAt(item, 'command') ?? '');
      return code === 0 ? [line] : [line, failed(`exit code ${code}`)];
    }
    case 'file_change':
      return objectsAt(item, 'changes').map((it) =>
        used(textAt(it, 'kind') ?? 'change', textAt(it, 'path') ?? ''),
      );
    case 'mcp_tool_call':
      return [used(textAt(item, 'tool') ?? 'a tool', textAt(item, 'server') ?? '')];
    case 'error':
      return [failed(textAt(item, 'message') ?? '')];
    default:
      return [];
  }
}

function fromEnd(event: JsonObject): string[] {
  switch (textAt(event, 'type')) {
    case 'result':
      return [ended(event)];
    case 'turn.failed':
      return [failed(textAt(objectAt(event, 'error'), 'message') ?? '')];
    case 'error':
      return [failed(textAt(event, 'message') ?? '')];
    default:
      return [];
  }
}

function ended(event: JsonObject): string {
  const turns = numberAt(event, 'num_turns');
  const usd = numberAt(event, 'total_cost_usd');
  const facts = [
    textAt(event, 'subtype') ?? 'done',
    ...(event.is_error === true ? ['with an error'] : []),
    ...(turns === undefined ? [] : [`${turns} turns`]),
    ...(usd === undefined ? [] : [`$${usd.toFixed(2)}`]),
  ];
  const words = textAt(event, 'result') ?? '';
  const text = event.is_error === true && words !== '' ? `: ${words}` : '';
  return printableLine(`= ${facts.join(', ')}${text}`, 2 * LINE_CHARS);
}

function said(text: string | undefined): string[] {
  return text === undefined || text.trim() === '' ? [] : printable(text.trim()).split('\n');
}

function used(tool: string, what: string): string {
  return printableLine(`→ ${tool}${what === '' ? '' : `: ${what}`}`, LINE_CHARS);
}

function failed(why: string): string {
  return printableLine(`✗ ${why}`, LINE_CHARS);
}

/** Input fields that say what a tool call is about. */
const TELLING = [
  ...['command', 'file_path', 'notebook_path', 'path', 'pattern'],
  ...['url', 'query', 'prompt'],
];

function inputOf(input: JsonObject | undefined): string {
  const texts = TELLING.map((name) => textAt(input, name));
  return texts.find((text) => text !== undefined) ?? '';
}

function resultText(part: JsonObject): string {
  return textAt(part, 'content') ?? textAt(objectsAt(part, 'content')[0], 'text') ?? 'failed';
}
