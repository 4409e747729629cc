/** What a host is offered, checked by its own list of signers. */
import { ExplainedError } from '../../base/errors.ts';
import { RefusedError } from '../../evidence/envelope.ts';
import { derived } from '../../lanes/spec/spec.ts';
import { teamStore } from '../../store/team.ts';
import type { TeamClaim } from '../../store/team-claims.ts';
import { openPayload, type Payload } from '../payload.ts';
import { LIST, withKeys } from '../reader.ts';
import { change, type Host } from './host.ts';
import { type Clone, cloneOf } from './repository.ts';

export interface Offer {
  readonly run: Payload<'run'>;
  readonly lane: Payload<'offer'>;
  /** Who has signed it. */
  readonly by: string;
}

/**
 * The offer of a claim.
 *
 * @param clone has the list of signers, unless the user's settings name one.
 * @throws {RefusedError} if it does not open, or nobody has signed it for whom this machine works.
 * @throws {ExplainedError} if it has expired.
 */
export const checkedOffer = (
  host: Host,
  claim: TeamClaim,
  clone: Clone | undefined,
): Promise<Offer> =>
  withKeys(host.context, host.member, clone, async ({ reader, runFor }) => {
    const { repo, run, lane, rev, bodies } = claim;
    const offered = { kind: 'offer', repo, run, lane, rev } as const;
    const sealed = Buffer.from(bodies.offer, 'base64');
    const { payload, principals } = await openPayload(offered, sealed, reader);
    // For people who read why.
    change(host, claim, { key: payload.key });
    const from = await runFor();
    if (!from.includes('*') && !principals.some((it) => from.includes(it)))
      throw new RefusedError(
        `${principals.join(', ')} has signed it, and this machine works for ${shownNames(from)} (\`team.runFor\`)`,
      );
    if (payload.expires < reader.now.getTime())
      throw new ExplainedError('it has expired', { code: 'EXPIRED' });
    const published = { kind: 'run', repo, run, rev: bodies.runRev } as const;
    const about = Buffer.from(bodies.run, 'base64');
    const itsRun = await openPayload(published, about, { ...reader, from });
    const { specHash, cmdHash } = derived(payload.spec);
    if (specHash !== payload.specHash || cmdHash !== payload.cmdHash)
      throw new RefusedError('its spec is not the one that it names');
    return { run: itsRun.payload, lane: payload, by: principals[0] ?? '' };
  });

const shownNames = (names: readonly string[]): string => names.join(', ') || 'nobody';

/** For whose offers this machine works, as far as its clones say. */
export async function worksFor(host: Host): Promise<string> {
  const [repo] = teamStore(host.context.store).repos();
  const clone = repo === undefined ? undefined : await cloneOf(host, repo);
  return withKeys(host.context, host.member, clone, async ({ runFor }) => {
    const from = await runFor();
    return from.includes('*') ? `everybody in ${host.settings.signers ?? LIST}` : shownNames(from);
  });
}
