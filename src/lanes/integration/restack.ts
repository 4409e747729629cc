export async function restack(
  _w: unknown,
  _r: unknown,
  _l: unknown,
): Promise<{ kind: 'ok' } | { kind: 'conflict'; needs: string; paths: string[] }> {
  return { kind: 'ok' };
}
