/** The page: enters with the token of its address once, then draws the view that the address names. */
import { type ComponentType, type JSX, render } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { enter } from './base/enter.ts';
import { listenToKeys } from './base/keys.ts';
import { connect, stayConnected } from './base/live.ts';
import { project, route, type ViewName } from './base/route.ts';
import { Frame } from './frame.tsx';
import { Health } from './views/health.tsx';
import { Hold } from './views/hold.tsx';
import { Lane } from './views/lane.tsx';
import { Lanes } from './views/lanes.tsx';
import { Memory } from './views/memory.tsx';
import { Needs } from './views/needs.tsx';
import type { ViewProps } from './views/props.ts';
import { Sessions } from './views/sessions.tsx';

const VIEW_PARTS: Readonly<Record<ViewName, ComponentType<ViewProps>>> = {
  needs: Needs,
  lanes: ({ name }) => (name === null ? <Lanes name={null} /> : <Lane name={name} key={name} />),
  hold: Hold,
  sessions: Sessions,
  memory: Memory,
  health: Health,
};

function Page(): JSX.Element {
  const { view, name } = route.value;
  const place = view === 'lanes' && name !== null ? name : view;
  // A screen reader goes on from the new content, not from the link that led to it. A later effect would take the
  // focus from a field that a key has just given it.
  useLayoutEffect(() => {
    document.getElementById('main')?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [place]);
  const View = VIEW_PARTS[view];
  return (
    <Frame>
      {/* What is asked for only once, or half written, is of one project. */}
      <View key={project.value} name={name} />
    </Frame>
  );
}

await enter();
// An address that is pasted into the open tab changes only what stands behind `#`.
addEventListener('hashchange', async () => {
  if (await enter()) connect();
});
listenToKeys();
stayConnected();
render(<Page />, document.body);
