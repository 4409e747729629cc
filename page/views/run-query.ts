import { route } from '../base/route.ts';

/** The run that the address names, for requests; empty for the one that is open. */
export const runQuery = (first = '?'): string => {
  const run = route.value.params.get('run');
  return run === null ? '' : `${first}run=${encodeURIComponent(run)}`;
};
