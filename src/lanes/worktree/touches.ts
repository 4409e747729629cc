import picomatch from 'picomatch';
export function touchesOverlap(a: readonly string[], b: readonly string[]): boolean {
  return a.some((x) => b.includes(x));
}
export function outsideTouches(paths: readonly string[], touches: readonly string[]): string[] {
  const is = picomatch([...touches], { dot: true });
  return paths.filter((path) => !is(path));
}
