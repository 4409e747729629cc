/** Sets names apart, and is no secret; `node:crypto` takes a hook longer to load than all that the name is for. */
export const randomHex = (digits: number): string =>
  Math.random()
    .toString(16)
    .slice(2, 2 + digits)
    .padEnd(digits, '0');
