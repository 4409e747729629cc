/** The texts of tools beside their data, short enough for a model. */
import type { AppContext } from '../../app/context.ts';
import type { NOTHING_PENDING, VerificationReport } from '../../app/hold/verification.ts';
import type { BoardData } from '../../app/lanes/runs.ts';
import { printable } from '../../base/text/printable.ts';
import type { TestEvent } from '../../features/verify.ts';
import { renderBoard } from '../words/board.ts';
import { verificationProgress, verificationText } from '../words/verification.ts';

/** The context of a call, for the folder that it names. */
export interface CallContext extends AppContext {
  readonly signal: AbortSignal;
}

const plain = (text: string): string => text;
const PLAIN = { good: plain, bad: plain, warn: plain, hint: plain, faint: plain };
const COLUMNS = 200;

export const boardText = (board: BoardData): string =>
  renderBoard(board, { paint: PLAIN, width: COLUMNS });

interface Progress {
  readonly signal: AbortSignal;
  readonly onTest: (event: TestEvent) => void;
  readonly onStep: (what: string) => void;
}

/** Verifies with progress; what a test printed of its failure is said beside the verdict. */
export async function verificationOutput(
  context: CallContext,
  verify: (progress: Progress) => Promise<VerificationReport | typeof NOTHING_PENDING>,
) {
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
  const data = await verify(progress).finally(stop);
  const text = 'features' in data ? verificationText(data) : 'Nothing pending';
  return { data, text: [text, ...failures].join('\n') };
}
