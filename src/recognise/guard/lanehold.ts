/** The commands by which lanehold itself lifts a hold without a test having run. */
export function isWaiver(name: string, argv: readonly string[]): boolean {
  if (name !== 'lanehold' && name !== 'lanehold.js') return false;
  const at = argv.indexOf('feature');
  if (at < 1) return false;
  const after = argv.slice(at + 1);
  const help = after.includes('--help') || after.includes('-h');
  const verb = after.find((word) => !word.startsWith('-'));
  if (help) return false;
  if (verb === 'waive') return true;
  return verb === 'verify' && after.some((it) => it === '--attest' || it.startsWith('--attest='));
}
