/** Answers to questions of lanes, from any machine of the team. */
import { orRefusal, RefusedError } from '../evidence/envelope.ts';
import { withBoard } from './board/board.ts';
import { openPayload } from './payload.ts';
import type { Keys } from './reader.ts';
import type { Place } from './snapshot.ts';

export interface Answer {
  /** Id of the question. */
  readonly question: string;
  /** Name of the machine that it came from. */
  readonly from: string;
  /** Who has signed it; `null`: it does not count. */
  readonly by: string | null;
  /** Empty if it cannot be read. */
  readonly text: string;
  /** Why it does not count, as a clause. */
  readonly why: string;
}

/**
 * What the board has for some questions, in the order in which it came: the first that counts is the answer. Those for
 * whom this machine works may answer.
 */
export async function fetchAnswers(
  { member, project: { repo } }: Place,
  questions: readonly string[],
  { reader, runFor }: Keys,
  limitMs: number,
): Promise<Answer[]> {
  if (questions.length === 0) return [];
  const rows = await withBoard(member, limitMs, (it) => it.getAnswers({ repo, questions }));
  const counted = await runFor();
  const answers: Answer[] = [];
  for (const { question, name: from, body } of rows) {
    const read = await orRefusal(() =>
      openPayload({ kind: 'answer', repo, question }, body, reader),
    );
    const isRefused = read instanceof RefusedError;
    const signers = isRefused ? [] : read.principals;
    const by = signers.find((it) => counted.includes('*') || counted.includes(it)) ?? null;
    const who = `it is signed by ${signers.join(', ')}, who is not in \`team.runFor\` here`;
    const why = isRefused ? read.message : by === null ? who : '';
    answers.push({ question, from, by, text: isRefused ? '' : read.payload.text, why });
  }
  return answers;
}
