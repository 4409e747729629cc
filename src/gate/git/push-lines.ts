import { MalformedPushError } from '../errors.ts';

/** One ref that git is about to change at a remote. */
export interface PushLine {
  /** The object that is sent; `undefined` for a deletion, which sends nothing. */
  readonly oid: string | undefined;
  /** Full name of the ref at the remote. */
  readonly destination: string;
  /** The object that the ref has at the remote now; `undefined` for a new one. */
  readonly remoteOid: string | undefined;
}

const OID = '[0-9a-f]{40}|[0-9a-f]{64}';
/** Matched from the end: the first field is as typed and may contain blanks, `HEAD@{1 day ago}`. */
const LINE = new RegExp(`^.+ (${OID}) ([^ ]+) (${OID})$`);

/**
 * Reads what a push is about to send, from the lines that git writes to a `pre-push` hook.
 *
 * A line is `<local ref> <local oid> <remote ref> <remote oid>`. An oid of zeros means "none": on
 * the left a deletion, on the right a new ref. The order is git's.
 *
 * @param stdin all that git wrote; empty when there is nothing to send.
 * @throws {MalformedPushError} if a line has another form. Callers then hold the push.
 * @see https://git-scm.com/docs/githooks#_pre_push
 */
export function parsePushLines(stdin: string): PushLine[] {
  if (stdin === '') return [];
  return stdin.replace(/\n$/, '').split('\n').map(parseLine);
}

function parseLine(line: string): PushLine {
  const [, oid, destination, remoteOid] = LINE.exec(line) ?? [];
  if (oid === undefined || destination === undefined || remoteOid === undefined) {
    throw new MalformedPushError(line);
  }
  return { oid: unlessZeros(oid), destination, remoteOid: unlessZeros(remoteOid) };
}

function unlessZeros(oid: string): string | undefined {
  return /^0+$/.test(oid) ? undefined : oid;
}
