/** Describes a clone that was moved, before a person has said whether it is still the same project. */
import { basename, dirname } from 'node:path';
import { plural, printable } from '../base/text/printable.ts';
import { shellWord } from '../base/text/shell-quote.ts';
import type { Workspace } from '../features/workspace.ts';
import { localFeatureStore, projectStore } from '../store/projects.ts';
import { CannotTellError } from './errors.ts';

export interface Moved {
  /** The folder in which the project was. */
  readonly from: string;
  /** The number of features that only this machine knows. */
  readonly features: number;
}

/** `undefined` if the clone was not moved, or is known to be another project. */
export function movedHere({ store, projectId }: Workspace): Moved | undefined {
  const former = projectStore(store).movedFrom(projectId);
  if (former === undefined) return undefined;
  const features = localFeatureStore(store).all(former.id).length;
  return { from: folderOf(former.identity), features };
}

/** The folder that people know a project by. */
export const folderOf = (identity: string): string =>
  basename(identity) === '.git' ? dirname(identity) : identity;

/** The text about a moved clone: the fact, and what a person can do. */
export function movedText({ from, features }: Moved, root: string) {
  const missing =
    features === 0 ? '' : `, and ${plural(features, 'feature')} of this machine held its pushes`;
  const here = `--project ${shellWord(root)}`;
  return {
    fact: `this clone was in ${printable(from)} before${missing}; nobody has said yet whether it goes on here`,
    way: `a person runs \`lanehold project move ${here}\`, which takes over what was there; or \`lanehold project forget ${here}\` if it is another project`,
  };
}

/** @throws {CannotTellError} if the answer would leave out features of the project. */
export function assertTakenOver(workspace: Workspace): void {
  const moved = movedHere(workspace);
  if (moved === undefined || moved.features === 0) return;
  const { fact, way } = movedText(moved, workspace.place.root);
  throw new CannotTellError(fact, way, 'place');
}
