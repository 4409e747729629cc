/** Which commands of lanehold take something away for good. Imports nothing: the gate needs it alone. */

/** True if these words after `lanehold feature` remove a feature, or may narrow one. */
export function takesAway(words: readonly (string | undefined)[]): boolean {
  const verb = words.find((word) => !word?.startsWith('-'));
  if (verb !== 'add' || !words.includes('--replace')) return verb === 'remove';
  return words.some((it) => it === undefined || NARROWING.test(it));
}

const NARROWING = /^--(?:files|smoke|depends-on|cwd)(?:=|$)/;

/** True if these words after `lanehold` delete stored records. A plain `prune` is allowed: it obeys the settings. */
export function deletesMemory(words: readonly (string | undefined)[]): boolean {
  const harmless = ['--help', '-h', '--dry-run'].some((it) => words.includes(it));
  const at = words.findIndex(
    (it, index) => !it?.startsWith('-') && words[index - 1] !== '--project',
  );
  if (harmless || at === -1) return false;
  const isPast = words.some((it) => it === undefined || /^--older-than(?:=|$)/.test(it));
  return words[at] === 'forget' || (words[at] === 'prune' && isPast);
}
