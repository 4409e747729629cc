/** Boundaries that a project or its user has added to those of the tables. */
import type { AddedBoundary } from '../../config/policy.ts';
import type { Frame } from '../reader.ts';
import { isKnown } from '../shell/unknown.ts';
import { matchesWords } from './argv-pattern.ts';
import { CONTENT_OF_KIND } from './match-rules.ts';

export function matchAdded(argv: readonly string[], frame: Frame): void {
  const { boundaries } = frame.reader.context;
  if (boundaries === undefined) return;
  const added = new Set<AddedBoundary>();
  for (const directory of frame.state.directories) {
    for (const it of boundaries(directory)) added.add(it);
  }
  if (added.size === 0) return;
  const words = argv.map((word) => (isKnown(word) ? word : undefined));
  for (const { name, argv: pattern, kind, leaves = CONTENT_OF_KIND[kind] } of added) {
    if (!matchesWords(pattern, words)) continue;
    const { directories } = frame.state;
    frame.reader.boundary(
      { kind, rule: name, leaves, argv, operands: argv.slice(1), directories },
      frame,
    );
  }
}
