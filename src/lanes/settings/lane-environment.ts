/**
 * The environment of a lane's processes: that of the process that requested the work, wherever it is started. Values of
 * secrets are not stored: each comes from the starter's environment, if it is the same there.
 */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { AGENTS } from '../../agents/registry.ts';
import { withoutSession } from '../../agents/worker/environment.ts';
import { definedOnly } from '../../base/environment.ts';
import { readJsonFile, writeJsonFile } from '../../base/files/json-file.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { sha256 } from '../../base/text/sha256.ts';
import type { LaneContext } from '../spec/context.ts';
import { laneDir } from '../spec/paths.ts';

const Kept = z.object({
  variables: z.record(z.string(), z.string()),
  /** A digest for each name, too short to guess the value from. */
  secrets: z.record(z.string(), z.string()),
});

export function keepEnvironment({ store, env }: LaneContext, laneId: string): void {
  const all = Object.entries(definedOnly(withoutSession(env)));
  const dir = laneDir(store.home, laneId);
  makePrivateFolder(dir);
  writeJsonFile(join(dir, FILE), {
    variables: Object.fromEntries(all.filter((it) => !isSecret(it))),
    secrets: Object.fromEntries(all.filter(isSecret).map(([name, value]) => [name, digest(value)])),
  });
}

/** The environment of a lane; one without a spawn, such as a validation alone, has that of the context. */
export function laneEnvironment({ store, env }: LaneContext, laneId: string): NodeJS.ProcessEnv {
  const kept = readJsonFile(join(laneDir(store.home, laneId), FILE), Kept);
  if (typeof kept === 'string') return env;
  const here = Object.entries(definedOnly(env)).filter(
    // These are the variables of lanehold's own start, and the same secrets.
    ([name, value]) => name.startsWith('LANEHOLD_') || kept.secrets[name] === digest(value),
  );
  return { ...kept.variables, ...Object.fromEntries(here) };
}

/** Names of secrets of the requesting environment that are missing here. */
export function missingSecrets({ store, env }: LaneContext, laneId: string): string[] {
  const kept = readJsonFile(join(laneDir(store.home, laneId), FILE), Kept);
  return typeof kept === 'string' ? [] : Object.keys(kept.secrets).filter((it) => !env[it]);
}

const FILE = 'environment.json';
const KEYS: ReadonlySet<string> = new Set(
  AGENTS.flatMap(({ worker }) => worker?.credentials.keys ?? []),
);

const isSecret = ([name, value]: readonly [string, string]): boolean =>
  (KEYS.has(name) && value !== '') || redact(`${name}=${value}`) !== `${name}=${value}`;

const digest = (value: string): string => sha256(value).slice(0, 8);
