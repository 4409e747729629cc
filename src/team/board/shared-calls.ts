/** The functions of the board for snapshots, answers and notes. */
import * as z from 'zod/mini';
import { type Calls, checked, digestsIn } from './calls.ts';

const bytes = z.instanceof(Buffer);
const name = z.string().check(z.maxLength(64));
const SHAPES = {
  snapshot: z.object({ host: z.guid(), name, age_s: z.coerce.number(), body: bytes }),
  stored: z.enum(['stored', 'known', 'full']),
  answer: z.object({ question: name, name, body: bytes }),
  note: z.object({ digest: bytes, body: bytes }),
};

export const sharedCalls = ({ query, rows, call, self }: Calls) => ({
  putSnapshot: (repo: string, body: Buffer) => rows('put_snapshot', [repo, body]),
  async getSnapshots(repo: string) {
    const sql = 'SELECT host, name, age_s, body FROM lanehold.get_snapshots($1, $2, $3)';
    return (await query(sql, [...self, repo])).map((row) => checked(SHAPES.snapshot, row));
  },
  /** `known`: this machine has answered before, and its first answer stays. */
  putAnswer: (repo: string, question: string, body: Buffer) =>
    call('put_answer', SHAPES.stored, repo, question, body),
  /** The oldest first. */
  async getAnswers(repo: string, questions: readonly string[]) {
    const sql = 'SELECT question, name, body FROM lanehold.get_answers($1, $2, $3, $4)';
    const rows = await query(sql, [...self, repo, questions]);
    return rows.map((row) => checked(SHAPES.answer, row));
  },
  /** `full`: the board has the most revisions of this machine. */
  putNote: (repo: string, digest: Buffer, body: Buffer) =>
    call('put_note', SHAPES.stored, repo, digest, body),
  /** All revisions that the board has, in hex. */
  noteDigests: async (repo: string) => digestsIn(await rows('note_digests', [repo])),
  /** @param digests at most 200. */
  async getNotes(repo: string, digests: readonly Buffer[]) {
    const sql = 'SELECT digest, body FROM lanehold.get_notes($1, $2, $3, $4)';
    return (await query(sql, [...self, repo, digests])).map((row) => checked(SHAPES.note, row));
  },
  tidy: () => rows('tidy', []),
});
