/** A PostgreSQL of its own for a file of tests. */
import { afterAll, beforeAll, describe } from 'vitest';
import { folderOfPrograms, type Postgres, postgresIn } from './postgres-server.ts';

export type { Postgres } from './postgres-server.ts';

/**
 * A group of tests with a PostgreSQL. Where none is installed they are skipped, and the name of the group says why;
 * where `CI` is set, that is a failure.
 */
export function withPostgres(name: string, tests: (server: Postgres) => void): void {
  const missing = folderOfPrograms === undefined;
  const isRequired = Boolean(process.env.CI || process.env.LANEHOLD_REQUIRE_PG);
  const why = ' (skipped: there is no PostgreSQL here; `apt-get install postgresql`)';
  if (missing && !isRequired) process.stdout.write(`${name}${why}\n`);
  describe.skipIf(missing && !isRequired)(missing ? `${name}${why}` : name, () => {
    const server = postgresIn(folderOfPrograms ?? '');
    beforeAll(() => server.make());
    afterAll(() => server.remove());
    tests(server);
  });
}
