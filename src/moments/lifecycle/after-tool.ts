/** Notes which features an edit makes pending, and tells the session once. */
import { findHookAgent } from '../../agents/registry.ts';
import { noteFetched } from '../../base/git/known-refs.ts';
import { projectPlace } from '../../base/git/project.ts';
import { hookGit } from '../../base/git/small-git.ts';
import { enumerated } from '../../base/text/printable.ts';
import { affectedFeatures } from '../../features/affected.ts';
import { noteTouched, pendingSubject, type Toucher } from '../../features/pending.ts';
import { worktreeRegistry } from '../../features/registry.ts';
import type { Workspace } from '../../features/workspace.ts';
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import { sessionStore } from '../../store/sessions.ts';
import { noteActivity } from './activity.ts';
import { editsByProject } from './edits-by-project.ts';
import { hookAfterCalls } from './git-hold.ts';
import { type Caller, type Handler, NO_OPINION, programFor, withContext } from './handler.ts';
import { loopText } from './loops.ts';
import { withToolRecall } from './tool-recall.ts';
import { workspaceAt } from './workspace-at.ts';

/** Commands that may fetch; git only records the address of the last fetch. */
const FETCHES = /\b(?:fetch|pull|update|sync|checkout)\b/;

export const afterTool: Handler<'after-tool'> = async (event, caller) => {
  if (event.call.tool === 'shell' && FETCHES.test(event.call.command)) {
    const { identity, root } = projectPlace(event.cwd);
    if (identity !== root) noteFetched(hookGit(root, caller.env));
  }
  // The step that loads most comes before any write, after which other processes have to wait.
  const recalled = await withToolRecall(event, NO_OPINION, caller);
  const hook = await hookAfterCalls(event, caller);
  const recall = recalled.decision === 'none' ? recalled.context : undefined;
  const texts = [hook, recall, loopText(event, caller)];
  const reply = withContext(await noteEdits(event, caller), texts);
  const mark = laneMark(caller.env, event.cwd);
  if (mark === undefined) return reply;
  const { withNews } = await import('./in-lane.ts');
  return withNews('after-tool', reply, mark, caller);
};

const noteEdits: Handler<'after-tool'> = async ({ call, cwd, session, failed }, caller) => {
  const { agent, env, afterwards } = caller;
  const paths = call.tool === 'edit' ? call.paths : call.tool === 'shell' ? call.edited : [];
  const edits = editsByProject(paths, cwd, env.HOME);
  const cause = call.tool === 'shell' ? 'command' : 'edit';
  const touched: string[] = [];
  for (const { place, paths } of edits) {
    const workspace = await workspaceAt(place, caller);
    const by = { cause, command: null, agent, session } as const;
    touched.push(...(await touch(workspace, paths, by, caller)));
  }
  const note = () => noteActivity(env, { agent, session }, []);
  if (edits.length > 0) afterwards(note, { unsure: note });
  // A failed tool may have written something, but the session gets no text.
  if (failed || touched.length === 0) return NO_OPINION;
  return { decision: 'none', context: announcement(touched, programFor(caller)) };
};

/** Notes every feature that the files concern; returns those that are new to this session. */
async function touch(
  workspace: Workspace,
  paths: readonly string[],
  by: Toucher,
  { agent, now }: Caller,
): Promise<string[]> {
  const { store, projectId } = workspace;
  const { features } = affectedFeatures((await worktreeRegistry(workspace)).features, paths);
  if (features.size === 0) return [];
  const sessions = sessionStore(store);
  const names = [...features.keys()];
  // If the model does not see this answer, a later event has to tell the session.
  const isTold = findHookAgent(agent)?.hooks.capabilities.takesContext.includes('after-tool');
  return store.write(() => {
    noteTouched(workspace, features, by, now());
    return names.filter((feature) => {
      if (isTold) sessions.firstShowing(by.session, pendingSubject(projectId, feature), now());
      return sessions.firstShowing(by.session, `touched ${projectId} ${feature}`, now());
    });
  });
}

function announcement(names: readonly string[], program: string): string {
  const list = enumerated(names, 6);
  const verify = names.length > 6 ? '--pending' : names.join(' ');
  return `lanehold: this edit touches ${names.length === 1 ? 'feature' : 'features'} ${list}; before a push or publish, run \`${program} feature verify ${verify}\`.`;
}
