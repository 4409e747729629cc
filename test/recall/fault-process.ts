/**
 * A process of its own, LANEHOLD_HOME set: `fault-process.ts write <session> <lines>` says each line that is
 * in the spool; `fold` takes over until it is killed, and says each time; `live <name> <sessions> <prompts>` is a
 * client with several sessions, which write and read side by side.
 */
import { writeSync } from 'node:fs';
import { homeOf } from '../../src/base/files/home.ts';
import { foldSpool } from '../../src/recall/fold.ts';
import { queryOf } from '../../src/recall/query.ts';
import { searchItems } from '../../src/recall/search.ts';
import { spool } from '../../src/recall/spool.ts';
import { summarise } from '../../src/recall/summaries.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';

const [mode = '', name = '', count = '0', prompts = '0'] = process.argv.slice(2);
const home = homeOf(process.env);
const prompt = (session: string, text: string) =>
  spool(home, {
    ...{ kind: 'prompt', at: Date.now(), agent: 'claude-code', session, text },
    ...{ project: '/home/ada/shop', root: '/home/ada/shop' },
  });

if (mode === 'write') {
  for (let at = 0; at < Number(count); at += 1) {
    prompt(name, `${name} prompt ${at}`);
    writeSync(1, `${at}\n`);
  }
}
if (mode === 'fold') {
  for (;;) {
    const store = await openStore(home);
    foldSpool(store, new Date());
    store.close();
    writeSync(1, 'folded\n');
  }
}
if (mode === 'live') {
  const store = await openStore(home);
  for (let at = 0; at < Number(prompts); at += 1) {
    for (let session = 0; session < Number(count); session += 1) {
      const who = { agent: 'claude-code', session: `${name}-${session}` };
      prompt(who.session, `prepare invoice ${at} of ${who.session} please`);
      if (at % 5 !== 4) continue;
      foldSpool(store, new Date(), who);
      summarise(store, who);
      const projectId = projectStore(store).find('/home/ada/shop') ?? 0;
      searchItems(store, { projectId, query: queryOf('where is the invoice'), now: new Date() });
    }
  }
  store.close();
  writeSync(1, 'done\n');
}
