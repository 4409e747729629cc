/**
 * Programs that runners of JavaScript load to report their results as data, beside what they print.
 * They are written next to the log, since the runner may be any Node of the project's, and report next
 * to themselves, since tools such as Turborepo let few variables through.
 */

/** One line of JSON for each test of `node --test`, appended: a command may start it several times. */
export const NODE_REPORTER = `import { appendFileSync } from 'node:fs';
const file = new URL('node.jsonl', import.meta.url);
export default async function* report(events) {
  appendFileSync(file, '');
  const levels = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') levels.splice(data.nesting, levels.length, data.name);
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { details = {}, nesting, name, skip, todo, file: path = '' } = data;
    const failureType = details.error?.failureType;
    if (details.type === 'suite' ? failureType === 'subtestsFailed' || type === 'test:pass' : failureType === 'subtestsFailed') continue;
    const skipped = skip !== undefined || (todo !== undefined && type === 'test:fail');
    const status = skipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    const title = [...levels.slice(0, nesting), name];
    appendFileSync(file, JSON.stringify({ status, path, title }) + '\\n');
  }
}
`;

/** Makes Vitest and Jest write their JSON report, too. */
export const JSON_REPORTS = `const { realpathSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');
const { argv, pid } = process;
if (isMainThread && argv[1]) {
  let main = '';
  try { main = realpathSync(argv[1]); } catch { /* A word, not a file. */ }
  const file = __dirname + '/' + pid + '.json';
  const add = (...words) => {
    const end = argv.indexOf('--');
    argv.splice(end === -1 ? argv.length : end, 0, ...words);
  };
  if (/[\\\\/]vitest[\\\\/](?:vitest\\.mjs|dist[\\\\/]cli\\.js)$/.test(main)) {
    if (!argv.some((it) => it.startsWith('--reporter'))) add('--reporter=default');
    add('--reporter=json', '--outputFile.json=' + file);
  } else if (/[\\\\/]jest(?:-cli)?[\\\\/]bin[\\\\/]jest\\.js$/.test(main)) {
    add('--json', '--outputFile=' + file);
  }
}
`;
