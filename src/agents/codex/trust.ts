/**
 * The hooks that the client would run: it silently skips every hook that a person has not trusted. Its `config.toml`
 * has the trusted ones, by the position of a hook in its file and by a digest of it. Checked against `hooks/list` of
 * codex-cli 0.169.0. The client itself is not asked each time: its app-server writes databases and skills into the
 * user's folder, and fetches plugins from the network.
 */
import { parse } from 'smol-toml';
import { attempt } from '../../base/errors.ts';
import { type JsonObject, objectOr } from '../../base/text/json.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { groupedHooks } from '../kit/grouped-hooks.ts';

export interface TrustedHook {
  /** `/home/ada/.codex/hooks.json:pre_tool_use:0:0` */
  readonly key: string;
  /** `sha256:…` of the event, the matcher and the handler, not of the program that it starts. */
  readonly hash: string;
  readonly command: string;
}

/** The command hooks of a `hooks.json`, in their order. */
export function hookKeys(file: string, text: string): readonly TrustedHook[] {
  return groupedHooks(text).flatMap(({ event, group, handler, at: [groupAt, handlerAt] }) => {
    const { type, command } = handler;
    if (type !== 'command' || typeof command !== 'string' || command.trim() === '') return [];
    const key = `${file}:${snakeCase(event)}:${groupAt}:${handlerAt}`;
    return [{ key, hash: hashOf(event, group, handler), command }];
  });
}

const snakeCase = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (it) => `_${it}`).toLowerCase();

const WITHOUT_MATCHER = ['UserPromptSubmit', 'Stop', 'Interrupt'];
const SHORT = ['SessionEnd', 'Interrupt'];

function hashOf(event: string, { matcher }: JsonObject, handler: JsonObject): string {
  const { command, statusMessage, async: isAsync } = handler;
  const given = typeof handler.timeout === 'number' ? handler.timeout : undefined;
  const timeout = SHORT.includes(event)
    ? Math.min(Math.max(given ?? 1, 1), 3)
    : Math.max(given ?? 600, 1);
  // The keys are in alphabetical order.
  const hook = { async: isAsync ?? false, command, statusMessage, timeout, type: 'command' };
  const hasMatcher = typeof matcher === 'string' && !WITHOUT_MATCHER.includes(event);
  const identity = {
    event_name: snakeCase(event),
    hooks: [hook],
    matcher: hasMatcher ? matcher : undefined,
  };
  return `sha256:${sha256(JSON.stringify(identity))}`;
}

const knownIn = (config: string): JsonObject =>
  objectOr(objectOr(objectOr(attempt(() => parse(config)))?.hooks)?.state) ?? {};

function stateOf(known: JsonObject, { key, hash }: TrustedHook) {
  const state = objectOr(known[key]);
  if (state === undefined || state.enabled === false) return 'untrusted';
  return state.trusted_hash === hash ? 'trusted' : 'modified';
}

/** @param config text of `config.toml`. */
export function trustOf(config: string, hooks: readonly TrustedHook[]) {
  if (attempt(() => parse(config)) === undefined) return 'unknown';
  const states = hooks.map((it) => stateOf(knownIn(config), it));
  return (
    (['untrusted', 'modified'] as const).find((it) => states.includes(it)) ??
    (states.length === 0 ? 'unknown' : 'trusted')
  );
}
