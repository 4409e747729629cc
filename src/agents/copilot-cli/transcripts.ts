/**
 * The transcripts that the client writes: `session-state/<session>/events.jsonl` in its folder. What
 * sub-agents do is in the file of their session, with an `agentId`.
 */
import { basename, dirname, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { at as field } from '../../base/text/json.ts';
import { actionOf, asked, below, headOf, jsonLines, said, timeIn } from '../kit/json-lines.ts';
import { userFolder } from '../kit/places.ts';
import { copilotCliHooks, FOLDER } from './hooks.ts';

const { tools } = copilotCliHooks;

export const copilotCliTranscripts = jsonLines({
  folder: (env) =>
    join(userFolder({ env, cwd: '/' }, FOLDER, 'the transcripts of Copilot'), 'session-state'),
  list: (states) => below(states).map((it) => join(it, 'events.jsonl')),
  origin(file) {
    const start = attempt(() => headOf(file))?.find(({ type }) => type === 'session.start');
    const data = field.object(start, 'data');
    const cwd = field.text(field.object(data, 'context'), 'cwd');
    if (cwd === undefined) return undefined;
    const began = timeIn(data?.startTime);
    return { session: basename(dirname(file)), isSubAgent: false, cwd, began };
  },

  reader: (whose) => (line) => {
    const at = timeIn(line.timestamp);
    const data = field.object(line, 'data');
    const id = String(data?.toolCallId);
    switch (line.type) {
      case 'user.message':
        // A message with an `agentId` is from an agent to its sub-agent, and no prompt of a person.
        return line.agentId === undefined ? said('prompt', data?.content, at) : [];
      case 'assistant.message':
        return said('message', data?.content, at);
      case 'session.compaction_complete':
        return said('summary', data?.summaryContent, at);
      case 'tool.execution_start': {
        const name = field.text(data, 'toolName') ?? '';
        const cwd = whose()?.cwd ?? '/';
        return [asked(id, actionOf(tools, { name, input: data?.arguments, cwd, at }))];
      }
      case 'tool.execution_complete':
        return [{ kind: 'done', id, ran: data?.success === true || !!data?.shellExecution, at }];
      default:
        return [];
    }
  },
});
