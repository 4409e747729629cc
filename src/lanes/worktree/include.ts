export async function copyIncluded(_a: string, _b: string, _c: unknown): Promise<void> {}
