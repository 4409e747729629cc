/** git's own hook: added to a clone at a session's start, reported if missing, restored after its removal. */
import { readFileSync, statSync } from 'node:fs';
import type { HookEvent } from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { leaveFile } from '../../base/files/left-file.ts';
import { textIfThere } from '../../base/files/text-if-there.ts';
import { type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import type { Installed } from '../../git-hold/git-hold.ts';
import { sessionFile } from './activity.ts';
import { type Caller, orLogged, programFor, type ToolEvent } from './handler.ts';

/** Why git no longer holds pushes here, if it should. Never throws, and does not report a failure. */
export async function missingGitHook(
  place: ProjectPlace,
  caller: Pick<Caller, 'agent' | 'env' | 'now' | 'afterwards'>,
): Promise<string | undefined> {
  const { env } = caller;
  const { kind, root } = place;
  const installed = installedBefore(env);
  if (kind !== 'git' || installed === undefined) return undefined;
  return orLogged(caller, 'session-start', undefined, async () => {
    const [{ hookGit }, { gitHold, whyGone }, { currentRuntime }] = await Promise.all([
      import('../../base/git/small-git.ts'),
      import('../../git-hold/git-hold.ts'),
      import('../../install/targets.ts'),
    ]);
    const git = hookGit(root, env);
    const line = await gitHold(git, env, currentRuntime(), installed);
    const isMissing = line.clone.state === 'absent' && line.configured.state === 'absent';
    if (isMissing && installed.gitHold === 'clones') {
      const { installAtSession } = await import('../../git-hold/git-hold-setup.ts');
      const install = () => installAtSession(git, env, currentRuntime());
      caller.afterwards(install, { unsure: install });
    }
    const note = () => leaveFile(stampsOf(place, env), line.decidedBy.map(stamped).join('\n'), 'w');
    caller.afterwards(note, { unsure: note });
    return whyGone(line);
  });
}

/** The stamps of a hook that has to be checked again. */
const FORGOTTEN = '?';

const stampsOf = ({ identity }: ProjectPlace, env: NodeJS.ProcessEnv): string =>
  sessionFile(env, { agent: 'git', session: identity.slice(-100) }, '.hooks');

function stamped(file: string): string {
  const { ino, size, ctimeMs } = attempt(() => statSync(file)) ?? {};
  return `${ino} ${size} ${ctimeMs} ${file}`;
}

/** Checks a few files; git is asked only if one has changed since the last time. */
function mayHaveChanged(place: ProjectPlace, env: NodeJS.ProcessEnv): boolean {
  const text = attempt(() => textIfThere(stampsOf(place, env)));
  const lines = text?.split('\n') ?? [];
  return lines.some((line) => line !== stamped(line.split(' ').slice(3).join(' ')));
}

/**
 * Reports to the session what earlier calls have done to git's hook: some agents send no event after a call, so each
 * event checks. If a person was asked about it, nothing is restored.
 */
export async function hookAfterCalls(
  event: ToolEvent | (HookEvent & { readonly kind: 'stop' }),
  caller: Caller,
): Promise<string | undefined> {
  const { env } = caller;
  const { kind, cwd, session } = event;
  // A call may have removed the folder.
  const place = attempt(() => projectPlace(cwd));
  if (place === undefined || !mayHaveChanged(place, env)) return undefined;
  const gone = await missingGitHook(place, caller);
  if (gone === undefined) return undefined;
  const byEdit = kind === 'after-tool' && event.call.tool !== 'shell';
  const back = await orLogged(caller, kind, undefined, async () => {
    if (byEdit || (await wasAsked(place, session, caller))) return undefined;
    const [{ hookGit }, { installInClone }, { currentRuntime }] = await Promise.all([
      import('../../base/git/small-git.ts'),
      import('../../git-hold/git-hold-setup.ts'),
      import('../../install/targets.ts'),
    ]);
    return installInClone(hookGit(place.root, env), env, currentRuntime(), 'again');
  });
  if (back !== undefined)
    return `lanehold: git’s own hook was taken away (${gone}); it is back: ${back}`;
  // The end of a turn takes no text, so the next event checks again and reports it.
  const forget = () => leaveFile(stampsOf(place, env), FORGOTTEN, 'w');
  if (kind === 'stop') caller.afterwards(forget, { unsure: forget });
  return goneText(gone, caller);
}

export const goneText = (gone: string, caller: Caller): string =>
  `lanehold: git itself no longer holds pushes here: ${gone}. Put it back: ${programFor(caller)} git-hook install`;

async function wasAsked(place: ProjectPlace, session: string, caller: Caller): Promise<boolean> {
  const [{ decisionStore }, { workspaceAt }] = await Promise.all([
    import('../../store/decisions.ts'),
    import('./workspace-at.ts'),
  ]);
  const { store, projectId } = await workspaceAt(place, caller);
  return decisionStore(store)
    .latest(projectId, MOST_DECISIONS)
    .some((it) => it.session === session && it.rule === 'tampering');
}

const MOST_DECISIONS = 50;

/** The earlier installation, from its record without a validation; `undefined` if git should hold nothing. */
function installedBefore(env: NodeJS.ProcessEnv): Installed | undefined {
  const record: Installed | undefined = attempt(() =>
    JSON.parse(readFileSync(homeOf(env).manifest, 'utf8')),
  );
  return record?.gitHold || record?.gitHooks?.length ? record : undefined;
}
