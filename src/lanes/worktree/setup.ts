export async function runSetup(_o: unknown): Promise<{ hash: string }> {
  return { hash: '' };
}
