/** What a host reads and says: checked by its own list of signers, signed by its own key. */
import { gitIn } from '../../base/git/git-in.ts';
import { RefusedError } from '../../evidence/envelope.ts';
import { configuredSigner, type Scratch, withScratch } from '../../evidence/signing.ts';
import { derived } from '../../lanes/spec/spec.ts';
import { teamStore } from '../../store/team.ts';
import type { TeamClaim } from '../../store/team-claims.ts';
import { keyOf } from '../credentials.ts';
import { openPayload, type Payload, type Reader, sealPayload } from '../payload.ts';
import { LIST, ownPrincipals, signersOfTeam } from '../reader.ts';
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
 * @throws {RefusedError} if it does not open, has expired, or nobody has signed it for whom this machine works.
 */
export const checkedOffer = (host: Host, claim: TeamClaim, clone: Clone | undefined) =>
  withScratch(host.context.env, async (scratch): Promise<Offer> => {
    const { repo, run, lane, rev, bodies } = claim;
    const reader = await readerOf(host, clone, scratch);
    const open = (text: string): Buffer => Buffer.from(text, 'base64');
    const place = { kind: 'offer', repo, run, lane, rev } as const;
    const offer = await openPayload(place, open(bodies.offer), { ...reader, from: ['*'] });
    const { payload, principals } = offer;
    // For people who read why.
    change(host, claim, { key: payload.key });
    if (!reader.from.includes('*') && !principals.some((it) => reader.from.includes(it)))
      throw new RefusedError(
        `${principals.join(', ')} has signed it, and this machine works for ${shownNames(reader.from)} (\`team.runFor\`)`,
      );
    const runPlace = { kind: 'run', repo, run, rev: bodies.runRev } as const;
    const { payload: itsRun } = await openPayload(runPlace, open(bodies.run), reader);
    const { specHash, cmdHash } = derived(payload.spec);
    if (specHash !== payload.specHash || cmdHash !== payload.cmdHash)
      throw new RefusedError('its spec is not the one that it names');
    return { run: itsRun, lane: payload, by: principals[0] ?? '' };
  });

const shownNames = (names: readonly string[]): string => names.join(', ') || 'nobody';

/** For whose offers this machine works, as far as its clones say. */
export const worksFor = (host: Host): Promise<string> =>
  withScratch(host.context.env, async (scratch) => {
    const { settings, context } = host;
    const [repo] = teamStore(context.store).repos();
    const clone = repo === undefined ? undefined : await cloneOf(host, repo);
    const { from } = await readerOf(host, clone, scratch);
    return from.includes('*') ? `everybody in ${settings.signers ?? LIST}` : shownNames(from);
  });

async function readerOf(host: Host, clone: Clone | undefined, scratch: Scratch): Promise<Reader> {
  const { settings, member, context } = host;
  const remote = clone && { git: clone.git, name: clone.remote };
  const signers = await signersOfTeam(settings.signers, remote);
  const own = async () => ownPrincipals(await signerIn(host, clone, scratch), signers, scratch);
  const from = settings.runFor ?? (await own());
  return { key: keyOf(member), signers, from, now: context.now(), scratch };
}

const signerIn = (host: Host, clone: Clone | undefined, scratch: Scratch) => {
  const { store, env } = host.context;
  const folder = clone?.git.directory ?? store.home.root;
  return configuredSigner(clone?.git ?? gitIn(folder, env), folder, scratch);
};

export const sealedResult = (
  host: Host,
  clone: Clone,
  result: Payload<'result'>,
): Promise<Buffer> =>
  withScratch(host.context.env, async (scratch) => {
    const signer = await signerIn(host, clone, scratch);
    return sealPayload(result, { key: keyOf(host.member), signer, scratch });
  });
