import { installers } from '../../src/install/targets.ts';

const INSTALLERS = await installers();
const COMMAND = 'git status';

/** The keys that lead to the command in what an agent sends before it runs one. */
export function commandKeys(agent: string): readonly string[] {
  const samples = INSTALLERS.find(({ name }) => name === agent)?.samples('/work') ?? [];
  const payload = samples.find(({ as }) => as === 'before-tool')?.payload;
  const keys = keysTo(payload);
  if (keys === undefined) throw new Error(`${agent} has no sample with \`${COMMAND}\``);
  return keys;
}

function keysTo(value: unknown): readonly string[] | undefined {
  if (value === COMMAND) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const keys = keysTo(inner);
    if (keys !== undefined) return [key, ...keys];
  }
  return undefined;
}
