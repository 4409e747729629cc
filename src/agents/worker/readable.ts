/**
 * A worker's stream in readable form: what it said, and which tools it used. Lines that are not JSON
 * are shown as they are; other JSON is left out.
 */
import { at, type JsonObject, jsonLine } from '../../base/text/json.ts';
import { printable, printableLine } from '../../base/text/printable.ts';
import { bodyOf } from './transcript.ts';

const LINE_CHARS = 200;

export function readable(line: string): string[] {
  if (line.trim() === '') return [];
  const event = jsonLine(line);
  if (event === undefined) return [printable(line)];
  const type = at.text(event, 'type') ?? '';
  if (type === 'result') return [ended(event)];
  // Other items are reported again when they are complete.
  if (type.startsWith('item.') && type !== 'item.completed') return [];
  return partsOf(event).flatMap((it) => told(it, at.text(it, 'type') ?? type));
}

/** The parts of an event: in a message, in an object of its own, or beside its type. */
function partsOf(event: JsonObject): readonly JsonObject[] {
  const message = at.object(event, 'message');
  const role = at.text(event, 'type');
  if (message !== undefined) return at.objects(message, 'content').map((it) => ({ role, ...it }));
  return [bodyOf(event) ?? event];
}

function told(it: JsonObject, type: string): string[] {
  const state = at.object(it, 'state');
  const error = at.text(at.object(it, 'error'), 'message');
  switch (type) {
    case 'text':
    case 'message':
    case 'agent_message':
    case 'assistant.message':
      return it.role === 'user' ? [] : said(at.text(it, 'text') ?? at.text(it, 'content'));
    case 'tool_use':
    case 'tool':
    case 'tool.execution_start':
      return [used(firstText(it, NAMES), inputIn(it, state)), ...failure(at.text(state, 'error'))];
    case 'mcp_tool_call':
      return [used(at.text(it, 'tool'), at.text(it, 'server'))];
    case 'command_execution': {
      const code = at.number(it, 'exit_code') ?? 0;
      const line = used('shell', at.text(it, 'command'));
      return code === 0 ? [line] : [line, failed(`exit code ${code}`)];
    }
    case 'file_change':
      return at
        .objects(it, 'changes')
        .map((change) => used(at.text(change, 'kind') ?? 'change', at.text(change, 'path')));
    case 'tool_call':
      return at.text(it, 'subtype') === 'started' ? called(at.object(it, 'tool_call')) : [];
    case 'tool_result':
      return it.is_error === true ? [failed(resultText(it))] : failure(error);
    case 'tool.execution_complete':
      return failure(error);
    case 'error':
    case 'turn.failed':
      return [failed(at.text(it, 'message') ?? error)];
    default:
      return [];
  }
}

/** `{"shellToolCall":{"args":{…}}}` */
function called(call: JsonObject | undefined): string[] {
  const names = Object.keys(call ?? {}).filter((it) => it.endsWith('ToolCall'));
  return names.map((name) => {
    const args = at.object(at.object(call, name), 'args');
    return used(name.slice(0, -'ToolCall'.length), firstText(args, TELLING));
  });
}

const failure = (why: string | undefined): string[] => (why === undefined ? [] : [failed(why)]);

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

/** Input fields that show what a tool call is about. */
const TELLING = [
  'command',
  'file_path',
  'notebook_path',
  'path',
  'pattern',
  'url',
  'query',
  'prompt',
];

/** Each agent has its own names for the tool and for its input. */
const NAMES = ['name', 'tool_name', 'toolName', 'tool'];
const INPUTS = ['input', 'parameters', 'arguments'];

const inputIn = (...places: readonly (JsonObject | undefined)[]): string | undefined =>
  places
    .flatMap((place) => INPUTS.map((name) => firstText(at.object(place, name), TELLING)))
    .find((text) => text !== undefined);

const firstText = (object: JsonObject | undefined, names: readonly string[]): string | undefined =>
  names.map((name) => at.text(object, name)).find((text) => text !== undefined);

function resultText(part: JsonObject): string {
  return at.text(part, 'content') ?? at.text(at.objects(part, 'content')[0], 'text') ?? 'failed';
}
