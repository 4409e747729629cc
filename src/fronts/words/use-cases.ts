/** Use cases, each with the words for its results, loaded once a command or a tool needs them. */

/** Loads two modules at once. */
export async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<A & B> {
  const [first, second] = await Promise.all([one, other]);
  return { ...first, ...second };
}

export const status = () => both(import('../../app/setup/status.ts'), import('./status.ts'));
export const quick = () =>
  both(import('../../moments/lifecycle/status-line.ts'), import('./status.ts'));
export const features = () => both(import('../../app/hold/features.ts'), import('./features.ts'));
export const holds = () => both(import('../../app/hold/holds.ts'), import('./features.ts'));
export const verification = () =>
  both(import('../../app/hold/verification.ts'), import('./verification.ts'));
export const gate = () => both(import('../../app/hold/gate.ts'), import('./gate.ts'));
export const guards = () => both(import('../../app/hold/guards.ts'), import('./notes.ts'));
export const projects = () => both(import('../../app/recall/projects.ts'), import('./notes.ts'));
export const runs = () => both(import('../../app/lanes/runs.ts'), import('./lanes.ts'));
export const lanes = () => both(import('../../app/lanes/lanes.ts'), import('./lanes.ts'));
export const recall = () => both(import('../../app/recall/recall.ts'), import('./recall.ts'));
export const sessions = () => both(import('../../app/recall/sessions.ts'), import('./recall.ts'));
export const notes = () => both(import('../../app/recall/notes.ts'), import('./notes.ts'));
export const dreams = () => both(import('../../app/recall/dream.ts'), import('./dream.ts'));
