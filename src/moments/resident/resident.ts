/**
 * The resident process: it answers the hooks of one installation and one `LANEHOLD_HOME`, each as the hook program
 * would in its own process. Nothing depends on it, so it ends at any doubt.
 */
import { randomBytes } from 'node:crypto';
import { homeOf, privateFolder } from '../../base/files/home.ts';
import { takeLock } from '../../base/process/held-lock.ts';
import { OwnProcessNeeded } from '../../gate/errors.ts';
import { logFailure } from '../lifecycle/failure-log.ts';
import type { AnswerCall } from '../lifecycle/hook-call.ts';
import { addressFile, RESIDENT } from './address.ts';
import { answerEvent, connectionsTo, isAnswerable, ordered, orderOf } from './event.ts';
import { lifeOf } from './life.ts';
import { type Answer, listen } from './server.ts';

export interface ResidentOptions {
  readonly answerCall: AnswerCall;
  /** Absolute path of the hook program, in the spelling of the entry script. */
  readonly program: string;
  readonly idleMs?: number | undefined;
}

/** Serves until it has to end, and then exits; at once if there is already such a process. */
export async function serveHooks(options: ResidentOptions): Promise<void> {
  const home = homeOf(process.env);
  // For a hook without HOME the account's home counts, as in its own process.
  delete process.env.HOME;
  process.chdir('/');
  privateFolder(home.resident);
  const isOnly = takeLock(`${addressFile(home, options.program)}.lock`) !== undefined;
  if (!isOnly) process.exit(0);

  const life = lifeOf(home, options.program, options.idleMs);
  const log = (error: unknown, event = ''): void =>
    logFailure(error, { agent: RESIDENT, event }, { LANEHOLD_HOME: home.root }, new Date());
  process.on('uncaughtException', (error) => {
    log(error);
    life.end();
    process.exit(1);
  });
  // An event has not waited for this work, which would have ended with its own process.
  process.on('unhandledRejection', (error) => log(error));
  process.once('SIGTERM', life.end);

  const inOrder = ordered();
  const how = { answerCall: options.answerCall, connections: connectionsTo(home) };
  const answer: Answer = async (request, isAwaited) => {
    const [event, command] = request.args;
    if (event === RESIDENT) {
      if (command === 'stop') life.end();
      return { stdout: JSON.stringify(life.status()), stderr: '', exitCode: 0 };
    }
    if (!isAnswerable(request, home)) return undefined;
    try {
      const answering = async () => {
        // The hook may have been ended while it waited for the one before.
        if (!(await isAwaited())) return undefined;
        const output = await answerEvent(request, isAwaited, how);
        if (output === undefined) life.end();
        return output;
      };
      return await life.during(() => inOrder(orderOf(request), answering));
    } catch (error) {
      if (!(error instanceof OwnProcessNeeded)) log(error, event);
      return undefined;
    }
  };
  const [hookSecret = '', ownSecret = ''] = [0, 1].map(() => randomBytes(16).toString('hex'));
  const { server, port } = await listen({ hookSecret, ownSecret, isOpen: life.isWanted, answer });
  life.publish(server, { port, hookSecret, ownSecret });
}
