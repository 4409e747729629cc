/** What answers something: commands that anybody may run, and those that only a person may. */
import type { JSX } from 'preact';
import { Command, Yours } from './text.tsx';

interface Answer {
  readonly command: string;
  readonly by: 'anyone' | 'person';
}

export function Commands({ commands }: { commands: readonly Answer[] }): JSX.Element {
  const anyones = commands.filter(({ by }) => by === 'anyone');
  const yours = commands.filter(({ by }) => by === 'person').map(({ command }) => command);
  return (
    <>
      {anyones.length > 0 && (
        <div class="block" data-commands="">
          {anyones.map(({ command }) => (
            <Command key={command} text={command} />
          ))}
        </div>
      )}
      {yours.length > 0 && (
        <Yours
          why={`Only a person does ${yours.length === 1 ? 'this' : 'these'}. Type it in a terminal:`}
          commands={yours}
        />
      )}
    </>
  );
}
