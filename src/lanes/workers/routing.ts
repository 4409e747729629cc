import { findWorker } from './registry.ts';
export function routeAgent(
  wish: string,
  current: string | undefined,
  settings: any,
  _env: unknown,
) {
  return findWorker(wish === 'current' ? (current ?? 'claude-code') : wish, settings);
}
