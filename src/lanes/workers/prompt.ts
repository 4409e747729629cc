export function workerPrompt(o: unknown): string {
  return JSON.stringify(o);
}
