/** The tools: which use case each calls, and what it says. */
import * as z from 'zod/mini';
import type { Selection } from '../../app/hold/verification.ts';
import {
  ANSWER_INPUT,
  ASK_INPUT,
  GATE_INPUT,
  PENDING_INPUT,
  RUN_INPUT,
  VERIFY_INPUT,
  WAIVE_INPUT,
} from '../../app/inputs.ts';
import { assertMayOrchestrate } from '../../app/lanes/coordinator.ts';
import type { BoardData } from '../../app/lanes/runs.ts';
import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/text/printable.ts';
import { waiverOfTool } from '../../commands/tool-call.ts';
import type { TestEvent } from '../../features/verify.ts';
import { renderBoard } from '../words/board.ts';
import { features, gate, holds, status, verification } from '../words/use-cases.ts';
import { verificationProgress, verificationText } from '../words/verification.ts';
import { RECALL_TOOLS } from './recall-tools.ts';
import { ADDS, type CallContext, READS, said, type Tool, tool } from './tool.ts';

export const TOOLS: readonly Tool[] = [
  tool({
    name: 'status',
    title: 'Status',
    about: 'What a push of this project would be held for, and whether hooks hold it at all.',
    input: z.strictObject({}),
    annotations: READS,
    async run(context) {
      const { projectStatus, statusText } = await status();
      const found = await projectStatus(context);
      return { data: found.data, text: statusText(found, context.now()) };
    },
  }),
  tool({
    name: 'features',
    title: 'List features',
    about: 'The features of this project: their files, smoke tests, and whether each is verified.',
    input: z.strictObject({}),
    annotations: READS,
    async run(context) {
      const { listFeatures, listText } = await features();
      return said(await listFeatures(context), (it) => listText(it, context.now()));
    },
  }),
  tool({
    name: 'pending',
    title: 'List what is held',
    about:
      'Features whose present content is not verified: what a push would be held for, and why.',
    input: PENDING_INPUT,
    annotations: READS,
    async run(context, wish) {
      const { pendingFeatures, pendingText } = await holds();
      const { data, sentences, pushSentences } = await pendingFeatures(context, wish);
      return { data, text: pendingText(sentences, pushSentences) };
    },
  }),
  tool({
    name: 'verify',
    title: 'Verify features',
    about:
      'Runs the smoke tests of features and records how they ended. What passes may leave, as it is. Takes as long as the tests do.',
    input: VERIFY_INPUT,
    annotations: { ...ADDS, idempotentHint: true },
    run: verificationOutput,
  }),
  tool({
    name: 'waive',
    title: 'Let features leave unverified',
    about:
      'Lets features leave without a test, for exactly their present content. A person is asked, and only their agreement counts. To verify is better.',
    input: WAIVE_INPUT,
    // The words that a hook has asked about.
    words: (input) => waiverOfTool({ server: 'lanehold', name: 'waive', input })?.slice(1) ?? [],
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    async run(context, { features: names, expires: expiresInMs, ...wish }) {
      const { waive, waivedText } = await verification();
      return said(await waive(context, { ...wish, names, expiresInMs }), waivedText);
    },
  }),
  tool({
    name: 'gate',
    title: 'Ask the gate',
    about:
      'Would this commit, or this shell command, be let through? Runs nothing: ask before a push, a release or a deployment.',
    input: GATE_INPUT,
    annotations: READS,
    async run(context, { command, ...revisions }) {
      const { judgeCommit, judgeShellCommand, commitText, shellCommandText } = await gate();
      if (command === undefined) {
        const answer = await judgeCommit(context, revisions);
        return { data: answer.data, text: commitText(answer) };
      }
      if (revisions.head !== undefined || revisions.base !== undefined) {
        throw new UsageError('a command says itself what leaves', {
          hint: 'leave out `head` and `base`',
        });
      }
      return said(await judgeShellCommand(context, command), shellCommandText);
    },
  }),
  tool({
    name: 'lanes',
    title: 'Show lanes',
    about:
      'The state of each lane of a run, what waits for whom, and the command that helps. Starts nothing.',
    input: RUN_INPUT,
    annotations: READS,
    async run(context, wish) {
      const { runStatus } = await import('../../app/lanes/runs.ts');
      const found = await runStatus(context, wish);
      if (found.kind === 'over') {
        const { name, intent } = found.data.last;
        return { data: found.data, text: `No run is open; the last one, ${name}, is ${intent}` };
      }
      return said(await found.read(), boardText);
    },
  }),
  tool({
    name: 'lane_answer',
    title: 'Answer a worker',
    about: 'Answers the question of a lane’s worker, and lets its lane go on.',
    input: ANSWER_INPUT,
    annotations: ADDS,
    async run(context, { lane: key, ...wish }) {
      await assertMayOrchestrate('answer', context);
      const { answerWorker } = await import('../../app/lanes/lane-messages.ts');
      const data = await answerWorker(context, { ...wish, key });
      return { data, text: `Answered question ${data.question} of lane ${key}` };
    },
  }),
  tool({
    name: 'lane_ask',
    title: 'Ask the coordinator',
    about: 'Asks the coordinator, as the worker of a lane. Go on with what does not depend on it.',
    input: ASK_INPUT,
    annotations: ADDS,
    async run(context, { question }) {
      const { askCoordinator } = await import('../../app/lanes/lane-messages.ts');
      const data = await askCoordinator(context, question);
      return { data, text: 'Asked; the answer is shown to you when it comes' };
    },
  }),
  ...RECALL_TOOLS,
];

const plain = (text: string): string => text;
const PLAIN = { good: plain, bad: plain, warn: plain, hint: plain, faint: plain };
const COLUMNS = 200;

const boardText = (board: BoardData): string =>
  renderBoard(board, { paint: PLAIN, width: COLUMNS });

/** Verifies with progress; what a test printed of its failure is said beside the verdict. */
async function verificationOutput(context: CallContext, selection: Selection) {
  const { verifySelected } = await import('../../app/hold/verification.ts');
  const shown = { ...context, env: { NO_COLOR: '1' }, streams: process, json: true, quiet: false };
  const { onTest, onStep, stop } = await verificationProgress(shown);
  const failures: string[] = [];
  const { signal } = context;
  const progress = {
    signal,
    onStep,
    onTest(event: TestEvent) {
      onTest(event);
      if (event.kind !== 'ended' || event.failure.length === 0) return;
      failures.push(...event.failure.map(printable), `(all of it: ${event.run.outputFile})`);
    },
  };
  const data = await verifySelected(context, selection, progress).finally(stop);
  const text = 'features' in data ? verificationText(data) : 'Nothing pending';
  return { data, text: [text, ...failures].join('\n') };
}
