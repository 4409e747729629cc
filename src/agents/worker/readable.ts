/**
 * A worker's stream in readable form: what it said, and which tools it used. Lines that are not JSON
 * are shown as they are; other JSON is left out.
 */
import { at, type JsonObject, jsonLine } from '../../base/text/json.ts';
import { printable, printableLine } from '../../base/text/printable.ts';

const LINE_CHARS = 200;

export function readable(line: string): string[] {
  if (line.trim() === '') return [];
  const event = jsonLine(line);
  if (event === undefined) return [printable(line)];
  return [...fromMessage(event), ...fromItem(event), ...fromStep(event), ...fromEnd(event)];
}

/** `{"type":"assistant"|"user","message":{"content":[…]}}`. */
function fromMessage(event: JsonObject): string[] {
  return at.objects(at.object(event, 'message'), 'content').flatMap((part) => {
    switch (at.text(part, 'type')) {
      case 'text':
        return at.text(event, 'type') === 'assistant' ? said(at.text(part, 'text')) : [];
      case 'tool_use':
        return [used(at.text(part, 'name'), inputOf(at.object(part, 'input')))];
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
      const line = used('shell', at.text(item, 'command'));
      return code === 0 ? [line] : [line, failed(`exit code ${code}`)];
    }
    case 'file_change':
      return at
        .objects(item, 'changes')
        .map((it) => used(at.text(it, 'kind') ?? 'change', at.text(it, 'path')));
    case 'mcp_tool_call':
      return [used(at.text(item, 'tool'), at.text(item, 'server'))];
    case 'error':
      return [failed(at.text(item, 'message'))];
    default:
      return [];
  }
}

/** What the other agents print: a text or a tool's name beside the type, in `data` or in `part`. */
function fromStep(event: JsonObject): string[] {
  const data = at.object(event, 'data');
  const part = at.object(event, 'part');
  switch (at.text(event, 'type')) {
    case 'message':
      return at.text(event, 'role') === 'assistant' ? said(at.text(event, 'content')) : [];
    case 'text':
      return said(at.text(part, 'text'));
    case 'assistant.message':
      return said(at.text(data, 'content'));
    case 'tool_use':
      return [
        used(
          at.text(event, 'tool_name') ?? at.text(part, 'tool'),
          inputOf(at.object(event, 'parameters') ?? at.object(at.object(part, 'state'), 'input')),
        ),
        ...failure(at.text(at.object(part, 'state'), 'error')),
      ];
    case 'tool.execution_start':
      return [used(at.text(data, 'toolName'), inputOf(at.object(data, 'arguments')))];
    case 'tool_call':
      return at.text(event, 'subtype') === 'started' ? called(at.object(event, 'tool_call')) : [];
    case 'tool_result':
      return failure(at.text(at.object(event, 'error'), 'message'));
    case 'tool.execution_complete':
      return failure(at.text(at.object(data, 'error'), 'message'));
    default:
      return [];
  }
}

/** `{"shellToolCall":{"args":{…}}}` */
function called(call: JsonObject | undefined): string[] {
  const names = Object.keys(call ?? {}).filter((it) => it.endsWith('ToolCall'));
  return names.map((name) => {
    const args = at.object(at.object(call, name), 'args');
    return used(name.slice(0, -'ToolCall'.length), inputOf(args));
  });
}

const failure = (why: string | undefined): string[] => (why === undefined ? [] : [failed(why)]);

function fromEnd(event: JsonObject): string[] {
  switch (at.text(event, 'type')) {
    case 'result':
      return [ended(event)];
    case 'turn.failed':
      return [failed(at.text(at.object(event, 'error'), 'message'))];
    case 'error':
      return [failed(at.text(event, 'message'))];
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

function used(tool = 'a tool', what = ''): string {
  return printableLine(`→ ${tool}${what === '' ? '' : `: ${what}`}`, LINE_CHARS);
}

function failed(why = ''): string {
  return printableLine(`✗ ${why}`, LINE_CHARS);
}

/** Input fields that say what a tool call is about. */
const TELLING = [
  ...['command', 'file_path', 'notebook_path', 'path', 'pattern'],
  ...['url', 'query', 'prompt'],
];

function inputOf(input: JsonObject | undefined): string | undefined {
  return TELLING.map((name) => at.text(input, name)).find((text) => text !== undefined);
}

function resultText(part: JsonObject): string {
  return at.text(part, 'content') ?? at.text(at.objects(part, 'content')[0], 'text') ?? 'failed';
}
