import fc, { type Arbitrary } from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

const character = fc
  .integer({ min: 0, max: 0x10_ff_ff - SURROGATES.count })
  .map((it) => String.fromCodePoint(it < SURROGATES.first ? it : it + SURROGATES.count));

/** Texts of any characters. fast-check's own unit of that kind keeps 85 MB. */
export function anyText(limits: { readonly maxLength?: number } = {}): Arbitrary<string> {
  return fc.string({
    ...limits,
    unit: fc.oneof(fc.string({ minLength: 1, maxLength: 1 }), character),
  });
}
