/** The resources that clients can read: what is held, and the handoff of each open run. */
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/sdk/types.js';
import type { AppContext } from '../../app/context.ts';
import { UsageError } from '../../base/errors.ts';
import { printableLine } from '../../base/text/printable.ts';
import { holds } from '../words/use-cases.ts';

const HELD = 'lanehold://held';
const HANDOFF = 'lanehold://handoff/';

export const TEMPLATES = [
  {
    uriTemplate: `${HANDOFF}{run}`,
    name: 'handoff',
    title: 'Handoff of a run',
    description: 'All that is needed to go on with the run of this name',
    mimeType: 'text/markdown',
  },
];

export async function listResources(context: AppContext): Promise<Resource[]> {
  const { openRuns } = await import('../../app/lanes/runs.ts');
  const runs = await openRuns(context);
  return [
    {
      uri: HELD,
      name: 'held',
      title: 'What is held',
      description: 'What a push would be held for, and why',
      mimeType: 'text/plain',
    },
    ...runs.map(({ name, goal }) => ({
      uri: `${HANDOFF}${encodeURIComponent(name)}`,
      name: `handoff of ${name}`,
      title: `Handoff of ${name}`,
      description: printableLine(goal, 200),
      mimeType: 'text/markdown',
    })),
  ];
}

/** @throws {UsageError} if there is nothing of that name. */
export async function readResource(context: AppContext, uri: string): Promise<ReadResourceResult> {
  const run = uri.startsWith(HANDOFF) ? decoded(uri.slice(HANDOFF.length)) : undefined;
  if (run !== undefined) {
    const { wholeHandoff } = await import('../../app/lanes/handoffs.ts');
    const { text } = await wholeHandoff(context, { run, ids: 'short' });
    return { contents: [{ uri, mimeType: 'text/markdown', text }] };
  }
  if (uri !== HELD) {
    throw new UsageError(`there is no resource ${printableLine(uri, 200)}`, {
      hint: `read ${HELD} or ${HANDOFF}<run>`,
    });
  }
  const { pendingFeatures, pendingText } = await holds();
  return {
    contents: [{ uri, mimeType: 'text/plain', text: pendingText(await pendingFeatures(context)) }],
  };
}

/** `undefined` for what is empty or not encoded as an address is. */
function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name) || undefined;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
