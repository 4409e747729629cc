/** The type of a value after its transfer as JSON: times become text in ISO 8601. */
export type AsJson<T> = T extends Date
  ? string
  : T extends object
    ? { readonly [Name in keyof T]: AsJson<T[Name]> }
    : T;
