/** Answers to questions of lanes, from any machine of the team. */
import { orRefusal, RefusedError } from '../evidence/envelope.ts';
import { withBoard } from './board/board.ts';
import type { Member } from './credentials.ts';
import type { Team } from './exchange.ts';
import { openPayload, type Reader } from './payload.ts';

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
 * What the board has for some questions, in the order in which it came: the first that counts is the answer.
 *
 * @param reader its `from` are those whose answers count.
 */
export async function fetchAnswers(
  { member, project: { repo } }: { member: Member; project: Pick<Team['project'], 'repo'> },
  questions: readonly string[],
  reader: Reader,
  limitMs: number,
): Promise<Answer[]> {
  if (questions.length === 0) return [];
  const rows = await withBoard(member, limitMs, (it) => it.getAnswers({ repo, questions }));
  const answers: Answer[] = [];
  for (const { question, name: from, body } of rows) {
    const open = (of: readonly string[]) =>
      orRefusal(() =>
        openPayload({ kind: 'answer', repo, question }, body, { ...reader, from: of }),
      );
    const counted = await open(reader.from);
    const read = counted instanceof RefusedError ? await open(['*']) : counted;
    const text = read instanceof RefusedError ? '' : read.payload.text;
    const isRefused = counted instanceof RefusedError;
    const by = isRefused ? null : (counted.principals[0] ?? '');
    answers.push({ question, from, by, text, why: isRefused ? counted.message : '' });
  }
  return answers;
}
