export function resumeTime(_text: string, _now: Date): Date | undefined {
  return undefined;
}
