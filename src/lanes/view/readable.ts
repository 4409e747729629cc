/**
 * A worker's stream in readable form: what it said, and which tools it used. Lines that are not JSON
 * are shown as they are; other JSON is left out.
 */
import { at, type JsonObject, jsonLine } from '../../text/json.ts';
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
  return at.objects(at.object(event, 'message'), 'content').flatMap((part) => {
    switch (at.text(part, 'type')) {
      case 'text':
        return at.text(event, 'type') === 'assistant' ? said(at.text(part, 'text')) : [];
      case 'tool_use':
        return [used(at.text(part, 'name') ?? 'a tool', inputOf(at.object(part, 'input')))];
      case 'tool_result':
        return part.is_error === true ? [failed(resultText(part))] : [];
      default:
        return [];
    }
  });
}

/** `{"type":"item.completed","item":{"type":…}}`. */
function fromItem(event: JsonObject): string[] {
  if (at.text(event, 'type') !== 'item.completed') return [];
  const item = at.object(event, 'item');
  switch (at.text(item, 'type')) {
    case 'agent_message':
      return said(at.text(item, 'text'));
    case 'command_execution': {
      const code = at.number(item, 'exit_code') ?? 0;
      const line = used('shell', at.text(item, 'command') ?? '');
      return code === 0 ? [line] : [line, failed(`exit code ${code}`)];
    }
    case 'file_change':
      return at
        .objects(item, 'changes')
        .map((it) => used(at.text(it, 'kind') ?? 'change', at.text(it, 'path') ?? ''));
    case 'mcp_tool_call':
      return [used(at.text(item, 'tool') ?? 'a tool', at.text(item, 'server') ?? '')];
    case 'error':
      return [failed(at.text(item, 'message') ?? '')];
    default:
      return [];
  }
}

function fromEnd(event: JsonObject): string[] {
  switch (at.text(event, 'type')) {
    case 'result':
      return [ended(event)];
    case 'turn.failed':
      return [failed(at.text(at.object(event, 'error'), 'message') ?? '')];
    case 'error':
      return [failed(at.text(event, 'message') ?? '')];
    default:
      return [];
  }
}

function ended(event: JsonObject): string {
  const turns = at.number(event, 'num_turns');
  const usd = at.number(event, 'total_cost_usd');
  const facts = [
    at.text(event, 'subtype') ?? 'done',
    ...(event.is_error === true ? ['with an error'] : []),
    ...(turns === undefined ? [] : [`${turns} turns`]),
    ...(usd === undefined ? [] : [`$${usd.toFixed(2)}`]),
  ];
  const words = at.text(event, 'result') ?? '';
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
  const texts = TELLING.map((name) => at.text(input, name));
  return texts.find((text) => text !== undefined) ?? '';
}

function resultText(part: JsonObject): string {
  return at.text(part, 'content') ?? at.text(at.objects(part, 'content')[0], 'text') ?? 'failed';
}
