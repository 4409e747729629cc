import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Starts the files that take long first, so that no worker ends minutes after the others. Vitest goes
 * by how long each took in earlier runs, which a fresh clone does not know.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  if (moduleId.includes('/lanes/acceptance/')) return 0;
  return project.name === 'programs' ? 1 : 2;
}
