import { preparedOnce, type Store } from './open.ts';

export const accountAnswerStore = preparedOnce(prepare);

/** When a worker's account last answered. */
function prepare({ db }: Store) {
  const note = db.prepare<[account: string, at: number]>(
    `INSERT INTO account_answers (account, at) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET at = excluded.at`,
  );
  const last = db.prepare<[account: string], { at: number }>(
    'SELECT at FROM account_answers WHERE account = ?',
  );
  const forget = db.prepare<[account: string]>('DELETE FROM account_answers WHERE account = ?');
  return {
    note: (account: string, now: Date): void => void note.run(account, now.getTime()),
    last(account: string): Date | undefined {
      const row = last.get(account);
      return row && new Date(row.at);
    },
    /** The account is over its limit: earlier answers no longer count. */
    forget: (account: string): void => void forget.run(account),
  };
}
