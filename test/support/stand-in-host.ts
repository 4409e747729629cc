/** A machine that works on lanes of others by direct calls of the board, as `team host` does. */
import { randomUUID } from 'node:crypto';
import { gitIn } from '../../src/base/git/git-in.ts';
import { configuredSigner, withScratch } from '../../src/evidence/signing.ts';
import { type Board, withBoard } from '../../src/team/board/board.ts';
import { keyOf } from '../../src/team/credentials.ts';
import { openPayload, type Payload, sealPayload } from '../../src/team/payload.ts';
import { credentialsOf } from './board.ts';
import type { Sandbox } from './sandbox.ts';
import type { Member } from './team.ts';

/** A claim, and its offer as the home has signed it. */
export type Claim = Awaited<ReturnType<Board['beat']>>['given'][number] & {
  readonly offer: Payload<'offer'>;
};

const startOf = ({ offer: { from, base } }: Claim): string => from ?? base;

interface Work {
  readonly files?: Readonly<Record<string, string>>;
  readonly outcome?: 'verified' | 'failed' | 'asks';
  /** Changes what is signed. */
  readonly says?: Partial<Payload<'result'>>;
  /** Where the result is pushed; `null`: nowhere. */
  readonly ref?: string | null;
}

export function standInHost(box: Sandbox, member: Member, signers: readonly string[]) {
  const credentials = credentialsOf(member);
  const key = keyOf(credentials);
  const lending = { incarnation: randomUUID(), boots: 1 };
  const on = <T>(work: (board: Board) => Promise<T>) => withBoard(credentials, 5_000, work);
  const git = gitIn(member.repo, { ...box.env, ...member.env });

  const inScratch = <T>(work: Parameters<typeof withScratch<T>>[1]) =>
    withScratch({ ...box.env, ...member.env }, work);

  /** Seals a payload with the key of this machine. */
  const sealed = (payload: Payload): Promise<Buffer> =>
    inScratch(async (scratch) =>
      sealPayload(payload, {
        key,
        signer: await configuredSigner(git, member.repo, scratch),
        scratch,
      }),
    );

  /** Claims what it can get; what it holds comes again. */
  const claims = async (free = 1, caps: readonly string[] = []): Promise<Claim[]> => {
    const given = await on(async (board) => {
      await board.lend({ ...lending, slots: 9, caps, lends: 'on' });
      const beat = { ...lending, beats: null, free, repos: null, leases: [] };
      return (await board.beat(beat)).given;
    });
    return inScratch(async (scratch) => {
      const text = signers.join('\n');
      const reader = { key, from: ['*'], now: new Date(), scratch };
      const known = { kind: 'known', from: 'here', text } as const;
      const found: Claim[] = [];
      for (const claim of given) {
        const { repo, run, lane, rev } = claim;
        const place = { kind: 'offer', repo, run, lane, rev } as const;
        const { payload } = await openPayload(place, claim.body, { ...reader, signers: known });
        found.push({ ...claim, offer: payload });
      }
      return found;
    });
  };

  /** Commits work on a lane, pushes it, and signs its result. */
  const resultOf = async (claim: Claim, { files, outcome = 'verified', says, ref }: Work = {}) => {
    const { lane, run, rev, epoch, repo, offer } = claim;
    const lanes = `refs/lanehold/${run}/lanes/${offer.key}`;
    member.git('fetch', '--quiet', 'origin', `${lanes}/start-${startOf(claim)}`);
    member.git('checkout', '--quiet', '--detach', 'FETCH_HEAD');
    for (const [path, text] of Object.entries(files ?? { [`${offer.key}.txt`]: `${epoch}\n` })) {
      member.write(path, text);
    }
    const head = box.commit(member.repo, `work on ${offer.key}`);
    const at = `${lanes}/${rev}-${epoch}-${credentials.host.slice(0, 8)}/result`;
    const pushed = ref === undefined ? at : ref;
    if (pushed !== null)
      member.git('push', '--quiet', '--no-verify', 'origin', `${head}:${pushed}`);
    const now = Date.now();
    const result: Payload<'result'> = {
      ...{
        v: 1,
        at: now,
        kind: 'result',
        repo,
        run,
        lane,
        rev,
        epoch,
        host: credentials.host,
        outcome,
      },
      ...{ specHash: offer.specHash, cmdHash: offer.cmdHash, setupHash: '', base: offer.base },
      head,
      tree: member.git('rev-parse', `${head}^{tree}`),
      ref: at,
      validation: {
        result: outcome === 'failed' ? 'fail' : 'pass',
        exitCode: outcome === 'failed' ? 1 : 0,
        durationMs: 10,
        logSha256: '0'.repeat(64),
        newFailures: [],
        oldFailures: null,
        tail: 'the end of the output\n',
      },
      flags: [],
      usage: { turns: 2, tokens: 100, usd: null, seconds: 3 },
      detail: outcome === 'failed' ? 'exit code 1' : '',
      endCause: null,
      question:
        outcome === 'asks' ? { id: randomUUID(), text: 'May I change the price type?' } : null,
      worker: { agent: 'tester', model: null },
      startedAt: now - 3_000,
      endedAt: now,
      ...says,
    };
    return result;
  };

  /** Says a result to the board; the same may be said again. */
  const finish = async (claim: Claim, result: Payload<'result'>, by = sealed) => {
    const { lane, rev, epoch, ticket } = claim;
    const { outcome, head } = result;
    const body = await by(result);
    return on((board) => board.finish({ lane, rev, epoch, ticket, outcome, head, result: body }));
  };

  return {
    member,
    on,
    claims,
    resultOf,
    finish,
    sealed,
    /** Gives a claim back for good. */
    refuse: ({ lane, epoch }: Claim, why: 'signer' | 'policy') =>
      on((board) => board.release({ lane, epoch, why, head: null, waitS: null })),
    /** Claims the next lane, and does it. */
    async works(work: Work = {}) {
      const [claim] = await claims();
      if (claim === undefined) throw new Error('nothing to claim');
      const result = await resultOf(claim, work);
      return { claim, result, answer: await finish(claim, result) };
    },
  };
}
