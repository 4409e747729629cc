import { FEATURE_NAME } from '../../config/feature.ts';

const MAX_LENGTH = 60;

/** Gives each part a feature name of its own: the first candidate that is free, else a numbered one. */
export function settleNames(candidates: readonly (readonly string[])[]): readonly string[] {
  const wanted = candidates.map((names) => {
    const usable = names.map(featureName).filter((name) => FEATURE_NAME.test(name));
    return usable.length === 0 ? ['part'] : usable;
  });
  // A name that two parts share tells too little: both get their next candidate.
  const firsts = new Map<string, number>();
  for (const [first = ''] of wanted) firsts.set(first, (firsts.get(first) ?? 0) + 1);

  const taken = new Set<string>();
  return wanted.map((names) => {
    const [first = 'part', ...others] = names;
    const order = (firsts.get(first) ?? 0) > 1 ? [...others, first] : names;
    const name = order.find((it) => !taken.has(it)) ?? numbered(first, taken);
    taken.add(name);
    return name;
  });
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  let number = 2;
  while (taken.has(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}

/** `@acme/Cart Service` becomes `acme-cart-service`. */
function featureName(text: string): string {
  return text
    .slice(0, 4 * MAX_LENGTH)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^[-._]+|[-._]+$/g, '')
    .slice(0, MAX_LENGTH)
    .replace(/[-._]+$/, '');
}
