/** The beginning of the input, where the script that started the hook program has read it already. */
export function inputStart(env: NodeJS.ProcessEnv): Buffer {
  const start = Buffer.from(env.LANEHOLD_INPUT ?? '');
  // It is not for the programs that are started from here.
  delete env.LANEHOLD_INPUT;
  return start;
}
