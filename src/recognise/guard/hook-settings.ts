/** `git config` where it says from which folder git takes its hooks. */

import type { Frame, Reader } from '../reader.ts';
import { grammarOf, readUse } from '../rules/options.ts';
import { isKnown } from '../shell/unknown.ts';

const VALUES =
  '-f --file --type --default --blob --comment --value --url --get --get-all --get-regexp';
const CHANGES = ['--add', '--replace-all'];
const SECTIONS = ['--remove-section', '--rename-section'];

/** @param rest the words after `config`. */
export function noteHookSettings(rest: readonly string[], frame: Frame, reader: Reader): void {
  const { operands, has } = readUse(rest, 0, grammarOf({ values: VALUES }), []);
  if (has('--get', '--get-all', '--get-regexp', '--get-urlmatch', '-l', '--list')) return;
  const change = changeOf(operands, has);
  if (change === undefined) return;
  const reach = has('--global', '--system') ? 'machine' : 'repository';
  reader.tampering(
    {
      what: `${change} from which git takes its hooks`,
      where: 'core.hooksPath',
      reach,
      argv: ['git', 'config', ...rest],
    },
    frame,
  );
}

const TAKE = 'take away the folder';
const CHANGE = 'change the folder';

function changeOf(
  operands: readonly string[],
  has: (...names: readonly string[]) => boolean,
): typeof TAKE | typeof CHANGE | undefined {
  const [first = '', second = ''] = operands;
  const verb = VERBS.find((it) => it.word === first);
  if (verb !== undefined) return verb.about(second) ? verb.change : undefined;
  if (has(...SECTIONS)) return isCore(first) ? TAKE : undefined;
  if (!isHooksPath(first)) return undefined;
  if (has('--unset', '--unset-all')) return TAKE;
  return operands.length > 1 || has(...CHANGES) ? CHANGE : undefined;
}

const isCore = (section: string): boolean => section.toLowerCase() === 'core';

const isHooksPath = (key: string): boolean =>
  isKnown(key) && key.toLowerCase() === 'core.hookspath';

/** The verbs of newer versions of git. */
const VERBS = [
  { word: 'set', about: isHooksPath, change: CHANGE },
  { word: 'unset', about: isHooksPath, change: TAKE },
  { word: 'remove-section', about: isCore, change: TAKE },
  { word: 'rename-section', about: isCore, change: TAKE },
] as const;
