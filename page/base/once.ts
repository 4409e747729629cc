/** What is asked for when a person looks, and not again with each change, because the answer costs too much. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Loaded, problemOf, request } from './live.ts';

interface Asked<Data> extends Loaded<Data> {
  readonly isAsking: boolean;
  readonly again: () => void;
}

export function useOnce<Data>(path: string): Asked<Data> {
  const [loaded, setLoaded] = useState<Loaded<Data>>({ data: null, problem: null });
  const [round, setRound] = useState(0);
  const [isAsking, setAsking] = useState(true);
  const again = useCallback(() => setRound((it) => it + 1), []);
  useEffect(() => {
    const gone = new AbortController();
    setAsking(true);
    request(path, { signal: gone.signal })
      .then((answer) => answer.json())
      .then((data: Data) => setLoaded({ data, problem: null }))
      .catch((cause) => setLoaded(({ data }) => ({ data, problem: problemOf(cause) })))
      .finally(() => {
        if (!gone.signal.aborted) setAsking(false);
      });
    return () => gone.abort();
  }, [path, round]);
  return { ...loaded, isAsking, again };
}
