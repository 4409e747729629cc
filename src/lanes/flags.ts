/** Warnings on a lane besides its state. */

const MOST_DATA = 50;

/** As it is stored. */
export function flagText(kind: string, data: readonly string[]): string {
  return data.length === 0 ? kind : `${kind}: ${JSON.stringify(data.slice(0, MOST_DATA))}`;
}
