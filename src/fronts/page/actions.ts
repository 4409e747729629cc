/**
 * The actions of a person in the page: those of the command line that need no confirmation by a person. To waive,
 * accept or attest something, to remove rules and to forget are commands that the page shows, because an agent on this
 * machine can reach the server as well.
 */
import * as z from 'zod/mini';
import type { AppContext } from '../../app/context.ts';
import { readInput } from '../../app/input.ts';
import { assertMayOrchestrate } from '../../app/lanes/coordinator.ts';
import { integrateRun } from '../../app/lanes/integration.ts';
import { commentOnLine, markSeen } from '../../app/lanes/lane-content.ts';
import { answerWorker, tellLane } from '../../app/lanes/lane-messages.ts';
import { verifyLane } from '../../app/lanes/lane-trees.ts';
import { endLane, resumeLane, retryLane } from '../../app/lanes/lanes.ts';
import { openRun } from '../../app/lanes/open-run.ts';
import { changeRun, landRun } from '../../app/lanes/runs.ts';
import { applyProposals, rejectProposals, showProposal } from '../../app/recall/dream.ts';
import { confirmNote, rejectNote } from '../../app/recall/note-editing.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { stateClause } from '../../lanes/spec/lane-states.ts';
import { decidedText } from '../words/dream.ts';
import * as words from '../words/lanes.ts';

/** @param signal interrupts long actions. @returns the message about the result. */
type Act<Input> = (context: AppContext, input: Input, signal: AbortSignal) => Promise<string>;

function action<const Shape extends Readonly<Record<string, z.ZodMiniType>>>(
  shape: Shape,
  act: Act<z.output<z.ZodMiniObject<Shape>>>,
) {
  const input = z.strictObject(shape);
  return {
    takes: Object.keys(shape),
    act: (context: AppContext, given: object, signal: AbortSignal) =>
      act(context, readInput(input, given) as z.output<z.ZodMiniObject<Shape>>, signal),
  };
}

const text = z.string();
const RUN = { run: z.optional(text) };
const LANE = { ...RUN, lane: text };

const keyOf = <T extends { readonly lane: string }>({ lane: key, ...rest }: T) => ({
  key,
  ...rest,
});

export const ACTIONS = {
  answer: action({ ...LANE, text, question: z.optional(z.number()) }, async (context, input) =>
    words.answeredText(await answerWorker(context, { question: undefined, ...keyOf(input) })),
  ),
  message: action({ ...LANE, text }, async (context, input) =>
    words.toldText(await tellLane(context, keyOf(input))),
  ),
  /** `at`: `src/api.ts:12`. */
  comment: action({ ...LANE, at: text, text }, async (context, input) =>
    words.toldText(await commentOnLine(context, keyOf(input))),
  ),
  /** `sha`: the commit up to which the changes were seen. */
  seen: action({ ...LANE, sha: text }, async (context, input) => {
    const { lane, sha } = await markSeen(context, keyOf(input));
    return `Marked lane ${lane} as seen up to ${sha.slice(0, 8)}`;
  }),
  pause: action({ ...RUN, reason: z.optional(text) }, async (context, input) => {
    const { run } = await changeRun(context, { ...input, intent: 'paused' });
    return `Run ${run.name} is paused`;
  }),
  resume: action({ ...RUN, lane: z.optional(text) }, async (context, { run, lane: key }) => {
    if (key !== undefined)
      return words.retriedText(await resumeLane(context, { run, key, wait: false }));
    const changed = await changeRun(context, { run, intent: 'active' });
    return `Run ${changed.run.name} goes on`;
  }),
  retry: action(
    { ...LANE, agent: z.optional(text), notes: z.optional(text) },
    async (context, input) =>
      words.retriedText(await retryLane(context, { ...keyOf(input), wait: false })),
  ),
  cancel: action({ ...RUN, lane: z.optional(text) }, async (context, { run, lane: key }) => {
    if (key !== undefined) {
      const { lane } = await endLane(context, { run, key });
      return `Lane ${lane.key} ${stateClause(lane.state)}`;
    }
    const changed = await changeRun(context, { run, intent: 'cancelled' });
    return `Run ${changed.run.name} is cancelled`;
  }),
  verify: action(LANE, async (context, input) => {
    const { text: said = '' } = await verifyLane(context, keyOf(input));
    return said;
  }),
  integrate: action({ ...RUN, lanes: z.optional(z.array(text)) }, async (context, input, signal) =>
    words.integrationText(await integrateRun(context, { ...input, signal })),
  ),
  land: action(
    { ...RUN, way: z.optional(z.enum(['merge', 'squash', 'rebase'])) },
    async (context, { run, way: wish }) => {
      const way = wish ?? (await (await openRun(context, run)).settings()).land;
      if (way === 'pr') {
        throw new ExplainedError('this run lands by a pull request, which is pushed', {
          hint: 'type it: lanehold orchestrate land --pr',
        });
      }
      return words.landText(await landRun(context, { run, way }));
    },
  ),
  'confirm-note': action({ note: text }, async (context, { note }) => {
    const { path } = await confirmNote(context, note);
    return `Confirmed ${path}`;
  }),
  'reject-note': action({ note: text }, async (context, { note }) => {
    const { path } = await rejectNote(context, note);
    return `Rejected ${path}`;
  }),
  'apply-proposal': action({ proposal: text }, async (context, { proposal }) => {
    const { operation } = await showProposal(context, proposal);
    if (operation.op === 'feature') {
      throw new ExplainedError('what a feature consists of is changed in a terminal', {
        hint: `type it: lanehold dream apply ${proposal}`,
      });
    }
    return decidedText('Applied', (await applyProposals(context, [proposal])).applied);
  }),
  'reject-proposal': action({ proposal: text }, async (context, { proposal }) =>
    decidedText('Rejected', (await rejectProposals(context, [proposal])).rejected),
  ),
};

/** @param given `{action, …}`. @throws {UsageError} if there is no such action, or it has other fields. */
export async function act(
  context: AppContext,
  given: object,
  signal: AbortSignal,
): Promise<string> {
  const { action: name, ...input } = { action: '', ...given };
  const found = Object.entries(ACTIONS).find(([known]) => known === name)?.[1];
  if (found === undefined) {
    throw new UsageError('there is no such action', {
      hint: `one of ${Object.keys(ACTIONS).join(', ')}`,
    });
  }
  if (found.takes.includes('run')) await assertMayOrchestrate(name, context);
  const doing = found.act(context, input, signal);
  // An integration is interrupted and cleans up; other long actions wait for a worker, which continues.
  return name === 'integrate' ? doing : Promise.race([doing, aborted(signal)]);
}

const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new ExplainedError('the server has ended')));
  });
