/** Checks what a team needs to work, from this machine to the board and back. */
import { explained } from '../base/errors.ts';
import { duration } from '../base/text/time.ts';
import { orRefusal, RefusedError, signedBytes } from '../evidence/envelope.ts';
import { type JudgingContext, signersOf } from '../evidence/judge.ts';
import { type Signer, sign } from '../evidence/signing.ts';
import { broken, type Finding, ok, warning } from '../install/verify.ts';
import { type BoardStatus, withBoard } from './board/calls.ts';
import { isThisMachine, placeOf } from './board/connection.ts';
import type { Credentials } from './credentials.ts';
import { LIMIT_MS, type Team } from './membership.ts';

/** Whoever's clock is off by more dates evidence into the future of others, who then refuse it. */
const MOST_SKEW_MS = 2 * 60_000;

/** What the board says of itself, and how long an answer takes. */
export async function askedBoard(
  member: Credentials,
): Promise<BoardStatus & { readonly roundTripMs: number }> {
  return withBoard(member, LIMIT_MS, async (board) => {
    await board.status();
    const start = performance.now();
    const status = await board.status();
    return { ...status, roundTripMs: Math.round(performance.now() - start) };
  });
}

export async function checkBoard(member: Credentials, now: () => Date): Promise<Finding[]> {
  const place = placeOf(member.url);
  try {
    const { roundTripMs, now_ms: theirs } = await askedBoard(member);
    const skew = now().getTime() - theirs;
    const isOff = Math.abs(skew) > MOST_SKEW_MS;
    const which = skew > 0 ? 'ahead of' : 'behind';
    return [
      ok(
        'board',
        `${place} answers in ${roundTripMs} ms, and knows this machine as ${member.name}`,
      ),
      isThisMachine(new URL(member.url).hostname)
        ? ok('tls', 'the board is on this machine: no TLS is needed')
        : ok('tls', 'TLS: the server has proven who it is'),
      isOff
        ? warning(
            'clock',
            `the clock here is ${duration(Math.abs(skew))} ${which} the board's`,
            'set it: evidence that is dated ahead counts for nobody',
          )
        : ok('clock', 'the clocks agree'),
    ];
  } catch (error) {
    const { message, hint } = explained(error);
    return [
      broken(
        'board',
        `${place}: ${message}`,
        hint ?? 'what is verified here waits, and is sent later',
      ),
    ];
  }
}

/** Whether others would count what this machine signs. */
export async function checkSigning(signer: Signer, context: JudgingContext): Promise<Finding> {
  const check = 'signing';
  if (signer.kind === 'none') {
    const hint =
      '`git config gpg.format ssh && git config user.signingKey ~/.ssh/id_ed25519.pub`; unsigned evidence is not sent';
    return warning(check, `nothing is sent from here: ${signer.why}`, hint);
  }
  const payload = Buffer.from('{}');
  try {
    const signature = await sign(signedBytes(payload), signer, context.scratch);
    const by = await orRefusal(() =>
      signersOf({ payload, signatures: signature === undefined ? [] : [signature] }, context),
    );
    if (!(by instanceof RefusedError))
      return ok(check, `what is verified here is ${by}, and counts`);
    const hint =
      'add `$(git config user.email) <your public key>` to .lanehold/allowed_signers, and have it merged';
    return warning(check, `what is verified here counts for nobody: ${by.message}`, hint);
  } catch (error) {
    const { message, hint } = explained(error);
    return broken(check, message, hint);
  }
}

export function checkOutbox(
  team: Team | undefined,
  waiting: readonly string[],
  count: number,
): Finding {
  const check = 'outbox';
  if (team === undefined) {
    return warning(
      check,
      'this project is not shared with the team',
      '`lanehold team connect` in it',
    );
  }
  const { remote } = team.project;
  if (count === 0) return ok(check, `all that was verified in ${remote} was sent`);
  const why = waiting.length === 0 ? '' : `: ${waiting.join('; ')}`;
  return warning(check, `${count} of ${remote} to be sent${why}`, '`lanehold team sync`');
}
