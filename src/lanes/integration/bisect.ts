/**
 * Finds where a series of steps begins to fail, by bisection.
 *
 * @param length how many steps there are; with all of them it fails, with none it passes.
 * @param fails whether it fails with the first `n` steps.
 * @returns the number of steps with which it fails first, at least 1.
 */
export async function firstFailing(
  length: number,
  fails: (n: number) => Promise<boolean>,
): Promise<number> {
  let passing = 0;
  let failing = length;
  while (failing - passing > 1) {
    const middle = Math.floor((passing + failing) / 2);
    if (await fails(middle)) failing = middle;
    else passing = middle;
  }
  return failing;
}
