/** Code that is needed only when something is opened, such as a diff. */
import { type Signal, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { connection } from '../base/live.ts';

/** Loads it when a component first uses it; asked again after the server was away. */
export function onDemand<Code>(load: () => Promise<Code>): () => Code | null {
  const loaded: Signal<Code | null> = signal(null);
  return function useLoaded() {
    const isLive = connection.value === 'live';
    useEffect(() => {
      if (loaded.value !== null) return;
      load().then(
        (code) => {
          loaded.value = code;
        },
        // It is tried again as soon as the server answers.
        () => undefined,
      );
    }, [isLive]);
    return loaded.value;
  };
}
