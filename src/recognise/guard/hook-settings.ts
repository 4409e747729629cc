/** `git config` where it changes the folder from which git takes its hooks. */
import { configUse } from '../../git/command-line.ts';
import type { Use } from '../../text/options.ts';
import type { Frame } from '../reader.ts';
import { isKnown } from '../shell/unknown.ts';

export function noteHookSettings(use: Use, frame: Frame): void {
  const { kind, key = '' } = configUse(use);
  if (!isKnown(key)) return;
  const about = key.toLowerCase();
  const isAbout = kind === 'section' ? about === 'core' : about === 'core.hookspath';
  if (!isAbout || kind === 'read') return;
  const change = kind === 'set' ? 'change the folder' : 'remove the setting of the folder';
  const reach = use.has('--global', '--system') ? 'machine' : 'repository';
  frame.reader.tampering(
    {
      what: `${change} from which git takes its hooks`,
      where: 'core.hooksPath',
      reach,
      argv: ['git', 'config', ...use.argv],
    },
    frame,
  );
}
