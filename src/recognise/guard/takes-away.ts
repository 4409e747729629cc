/** Which commands of lanehold take something away from a feature. Imports nothing: the gate needs it alone. */

/** The words after `lanehold feature` remove a feature, or may narrow one. */
export function takesAway(words: readonly (string | undefined)[]): boolean {
  const verb = words.find((word) => !word?.startsWith('-'));
  if (verb !== 'add' || !words.includes('--replace')) return verb === 'remove';
  return words.some((it) => it === undefined || NARROWING.test(it));
}

const NARROWING = /^--(?:files|smoke|depends-on|cwd)(?:=|$)/;
