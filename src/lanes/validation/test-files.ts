/** Which files hold tests, by the conventions of their tools. */

const CODE =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|kts?|scala|groovy|cs|swift|exs?|c|cc|cpp|cxx|dart|bats|pl|t|sh)$/;
const NAMES: readonly RegExp[] = [
  /[._-](?:test|tests|spec|specs|cy|e2e)\.[^./]+$/i,
  /^test[._-].+\.[^./]+$/i,
  /^[A-Z]\w*(?:Tests?|Specs?|TestCase|IT)\.(?:java|kts?|scala|groovy|cs|swift|php)$/,
  /^Test[A-Z]\w*\.(?:java|kts?|scala|groovy|cs|swift|php)$/,
  /\.(?:t|bats)$/,
];
const FOLDERS = new Set(['test', 'tests', 'spec', 'specs', '__tests__', 'e2e', 'cypress', 't']);

/** By its name a test file, even if no test case is found in it. */
export function isNamedAsTest(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return CODE.test(path) && NAMES.some((pattern) => pattern.test(name));
}

/** Also files in test folders, and files of Rust, which contain their own tests. */
export function mayHoldTests(path: string): boolean {
  if (!CODE.test(path)) return false;
  if (isNamedAsTest(path) || path.endsWith('.rs')) return true;
  return path
    .split('/')
    .slice(0, -1)
    .some((folder) => FOLDERS.has(folder));
}
