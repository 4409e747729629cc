export async function checkoutPrint(_root: string, _env: unknown): Promise<string> {
  return '';
}
export async function saveDiff(_root: string, _o: unknown): Promise<string> {
  return '';
}
