/**
 * `npm run pictures:page`: writes the pictures of the page and of the terminal board in docs/pictures, and what they
 * show. The tests of the page in a browser fail once the views show something else.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { enter, launch, noBrowser, serve, WIDE } from '../test/fronts/page/browser.ts';
import {
  boardLines,
  digestOf,
  FOLDER,
  PICTURES,
  RECORD,
  shownIn,
} from '../test/fronts/page/pictures.ts';
import { sixLanes } from '../test/fronts/page/six-lanes.ts';
import { boardPicture } from './board-picture.ts';
import { cleaningUp } from './demo/interrupt.ts';

if (noBrowser !== undefined) process.exit(1);
const cleanUps: (() => void)[] = [];
await cleaningUp(
  () => {
    for (const cleanUp of cleanUps.splice(0)) cleanUp();
  },
  async () => {
    const { project } = await sixLanes((cleanUp) => cleanUps.unshift(cleanUp));
    const shown: Record<string, { text: string[]; sha256: string }> = {};
    const board = await boardLines(project);
    writeFileSync(join(FOLDER, 'board.svg'), boardPicture(board));
    shown['board.svg'] = { text: board, sha256: digestOf('board.svg') };
    const server = await serve({ cwd: project.repo, env: project.env });
    const browser = await launch();
    try {
      const context = await browser.newContext({ viewport: WIDE, reducedMotion: 'reduce' });
      const page = await enter(context, server);
      for (const { name, scheme, ...view } of PICTURES) {
        await page.emulateMedia({ colorScheme: scheme });
        const text = await shownIn(page, view);
        await page.screenshot({ path: join(FOLDER, `${name}.png`) });
        shown[`${name}.png`] = { text, sha256: digestOf(`${name}.png`) };
      }
    } finally {
      await browser.close();
      await server.end();
    }
    writeFileSync(RECORD, `${JSON.stringify(shown, undefined, 2)}\n`);
  },
);
