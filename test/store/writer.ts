/**
 * A process of its own on a store: `writer.ts <name> <rows> [schema as JSON]`, LANEHOLD_HOME set.
 * Says `ready`, waits for the end of its input, opens the store, and says each row that is written.
 */
import { readFileSync, writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { homeOf } from '../../src/base/files/home.ts';
import { CURRENT_SCHEMA } from '../../src/store/connect.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';

const [name = '', rows = '1', schema] = process.argv.slice(2);
// The others that are started with it need not compile the same.
flushCompileCache();
writeSync(1, 'ready\n');
readFileSync(0);
const store = await openStore(
  homeOf(process.env),
  schema === undefined ? CURRENT_SCHEMA : JSON.parse(schema),
);
const projects = projectStore(store);
for (let row = 0; row < Number(rows); row += 1) {
  store.write(() => projects.ensure(`${name} ${row}`, new Date()));
  writeSync(1, `${name} ${row}\n`);
}
store.close();
