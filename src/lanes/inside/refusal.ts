/** What a lane's worker may not do, and what to do instead. */
export interface Refusal {
  /** As the end of `a lane's worker does not …`. */
  readonly what: string;
  /** A sentence. */
  readonly instead: string;
}

/** Read by a model in the middle of its work: the verdict first, then the alternative. */
export function refusalText({ what, instead }: Refusal): string {
  return `lanehold: a lane's worker does not ${what}.\n${instead}`;
}
