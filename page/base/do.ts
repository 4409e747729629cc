/** What a person may do here. Everything that needs a person's word is a command to type, and no request. */
import { computed, signal } from '@preact/signals';
import { isCutOff, type Problem, problemOf, refreshAll, request } from './live.ts';
import { say } from './say.ts';

/** Why nothing may be done here, such as a start under an agent; `null` where it may. */
export const readOnly = signal<string | null>(null);

/** The same for now: what nobody would receive cannot be sent. */
export const hindrance = computed(
  () => readOnly.value ?? (isCutOff.value ? 'The server is not reached' : null),
);

/** The action that has been sent and not answered yet. */
export const busy = signal<string | null>(null);

/** Sends one action, says what came of it, and returns whether it was done. */
export async function act(
  action: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<boolean> {
  if (busy.value !== null || hindrance.value !== null) return false;
  busy.value = action;
  try {
    const response = await request('do', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action, ...more }),
    });
    const { said } = (await response.json()) as { said?: string };
    say(said ?? 'Done');
    refreshAll();
    return true;
  } catch (cause) {
    const { error, hint }: Problem = problemOf(cause);
    say(error, { tone: 'bad', hint });
    return false;
  } finally {
    busy.value = null;
  }
}
