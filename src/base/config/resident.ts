import { attempt } from '../errors.ts';
import type { Home } from '../files/home.ts';
import { textIfThere } from '../files/text-if-there.ts';
import { at, parsedObject } from '../text/json.ts';

/** `hooks.resident` of the user's own settings; `on` if the file cannot be read. */
export function residentSetting({ config }: Pick<Home, 'config'>): 'on' | 'off' {
  const text = attempt(() => textIfThere(config));
  const hooks = at.object(parsedObject(text ?? '{}'), 'hooks');
  return hooks?.resident === 'off' ? 'off' : 'on';
}
