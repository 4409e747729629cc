/** What a value is once it was sent as JSON: times are text in ISO 8601. */
export type AsJson<T> = T extends Date
  ? string
  : T extends object
    ? { readonly [Name in keyof T]: AsJson<T[Name]> }
    : T;
