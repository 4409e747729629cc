/** A random name, which is no secret: loading `node:crypto` would take a hook longer than all its use of the name. */
export const randomHex = (digits: number): string =>
  Math.random()
    .toString(16)
    .slice(2, 2 + digits)
    .padEnd(digits, '0');
