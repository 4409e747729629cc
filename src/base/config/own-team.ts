/** The user's own settings of a team, and what a repository may forbid. */
import * as z from 'zod/mini';
import { AGE_RULE, must, optional } from './schema-lanes.ts';

const word = z
  .string()
  .check(must(/^[^\s\0]{1,200}$/, 'is no single word\nwrite it without spaces'));
const onOff = z.enum(['on', 'off']);

const off = z.literal('off');

/** What a `lanehold.json` may say of a team: what must not leave a machine, whatever its user has set. */
export const repositoryTeam = z.strictObject({
  share: optional(
    z.strictObject({
      lanes: optional(off, 'The team never sees lanes of this repository'),
      evidence: optional(off, 'The team never gets what is verified in this repository'),
      notes: optional(off, 'The team never gets notes of this repository'),
    }),
    'What never leaves a machine',
  ),
});

const share = z.strictObject({
  lanes: optional(onOff, 'Whether the team sees the lanes of this machine; `on` by default'),
  evidence: optional(onOff, 'Whether the team gets what is verified here; `on` by default'),
  notes: optional(onOff, 'Whether the team gets notes of the project; `off` by default'),
});

export const ownTeam = z.strictObject({
  slots: optional(
    z.int().check(z.minimum(0), z.maximum(1_000)),
    'Lanes of others that this machine works on at once; half of its cores by default',
  ),
  caps: optional(
    z.array(word),
    'What lanes may ask for besides system, architecture and agents, such as `gpu`',
  ),
  runFor: optional(
    z.array(word),
    'Principals whose signed lanes may run commands here; your own by default, `*` for every signer',
  ),
  signers: optional(
    z.string().check(must(/^[/~]/, 'is no absolute path\nwrite it from `/` or `~`')),
    'File with the keys of those whose lanes, answers and notes count; `.lanehold/allowed_signers` of the default branch by default',
  ),
  notesFrom: optional(z.array(word), 'Principals whose notes count at once; none by default'),
  share: optional(share, 'What leaves this machine'),
  checkpointEvery: optional(
    z.string().check(must(/^[1-9][0-9]{0,5}[smh]$/, AGE_RULE)),
    'The shortest time between two pushes of a lane of others; `60s` by default',
  ),
  refs: optional(
    z.enum(['refs/lanehold', 'refs/heads/lanehold']),
    'Where the work of a team is on the remote; the second is for remotes that refuse the first',
  ),
  results: optional(
    z.enum(['signed', 'revalidate']),
    'Whether a result of another machine counts by its signature, or is validated here first; `signed` by default',
  ),
  offline: optional(
    z.enum(['stop', 'continue']),
    'What a lane of others does while the board cannot be reached; `stop`, with a checkpoint, by default',
  ),
});
