/** Repositories and stores of a given size. */
import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type DemoProject, hookCommand } from '../scripts/demo/demo-project.ts';
import type { Env } from '../scripts/demo/run.ts';
import type { EventName } from '../src/agents/types.ts';
import { hookScriptFile } from '../src/install/hook-script.ts';

export interface Scale {
  readonly files: number;
  readonly features: number;
}

export interface Store {
  /** Rows of evidence; the other tables have a tenth of it each. */
  readonly rows: number;
  /** The demo project's environment with this store as lanehold's. */
  readonly env: Env;
}

/** Files of the commit that a boundary finds unpushed: they belong to two features. */
export const CHANGED = ['src/f000/d0/m0.js', 'src/f000/d0/m1.js', 'src/f001/d0/m0.js'] as const;
/** The file whose edit is reported to the hook. */
export const EDITED = 'src/f002/d0/m0.js';

/** Fills the project: the first commit is pushed, a second one waits. */
export async function buildRepository(
  demo: DemoProject,
  { files, features }: Scale,
): Promise<void> {
  const perFeature = Math.ceil(files / features);
  for (let index = 0; index < files; index += 1) {
    const place = index % perFeature;
    const folder = `src/${featureName(Math.floor(index / perFeature))}/d${Math.floor(place / 50)}`;
    demo.write(`${folder}/m${place % 50}.js`, `export const value = ${index};\n`);
  }
  const registry = Object.fromEntries(
    Array.from({ length: features }, (_, index) => [featureName(index), feature(index)]),
  );
  demo.write('lanehold.json', `${JSON.stringify({ features: registry }, null, 2)}\n`);
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  await demo.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  for (const file of CHANGED) demo.write(file, 'export const value = -1;\n');
  await demo.git('commit', '--quiet', '--all', '--message', 'Change two features');
}

function featureName(index: number): string {
  return `f${String(index).padStart(3, '0')}`;
}

/** Every fifth feature stands alone, the others depend on the one before. */
function feature(index: number) {
  const dependsOn = index % 5 === 0 ? [] : [featureName(index - 1)];
  return { files: [`src/${featureName(index)}/**`], smoke: ['true'], dependsOn };
}

/** Makes one store per size: the program creates it, then history is added as it would have grown. */
export async function openStores(demo: DemoProject, sizes: readonly number[]): Promise<Store[]> {
  const stores: Store[] = [];
  for (const rows of sizes) {
    const folder = join(demo.root, `store-${rows}`);
    const env = { ...demo.env, LANEHOLD_HOME: folder };
    const payload = {
      session_id: randomUUID(),
      transcript_path: join(demo.home, 'none.jsonl'),
      cwd: demo.project,
      hook_event_name: 'PostToolUse',
      tool_name: 'Edit',
      tool_input: { file_path: join(demo.project, EDITED), old_string: 'a', new_string: 'b' },
      tool_response: {},
    };
    const [program, ...args] = hookCommand('after-tool');
    const { code, stderr } = await demo.run(program, args, {
      env,
      input: JSON.stringify(payload),
    });
    if (code !== 0) throw new Error(`the hook could not make a store: ${stderr}`);
    fill(join(folder, 'lanehold.db'), rows);
    const install = ['install', '--agent', 'claude-code', '--no-git-hook', '--no-statusline'];
    const installed = await demo.run('lanehold', install, { env });
    if (installed.code !== 0) throw new Error(`the hooks are not installed: ${installed.stderr}`);
    stores.push({ rows, env });
  }
  return stores;
}

/** How an agent starts the hook after an installation: through the script in LANEHOLD_HOME. */
export function installedHook(
  { LANEHOLD_HOME: root = '' }: Env,
  event: EventName,
  agent?: string,
): readonly [string, ...string[]] {
  const command = hookCommand(event, agent);
  const [node, hook, ...args] = command;
  return ['/bin/sh', hookScriptFile({ root }), node, hook ?? '', 'settings.json', ...args];
}

/** Adds history to this project, in one transaction. */
function fill(file: string, rows: number): void {
  const db = new Sqlite(file, { fileMustExist: true });
  try {
    const project = db.prepare('SELECT id FROM projects ORDER BY id LIMIT 1').pluck().get();
    db.transaction(() => {
      addEvidence(db, project, rows);
      addNotes(db, project, rows / 10);
    })();
    db.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

const NOW = Date.UTC(2026, 0, 1);

function addEvidence(db: Sqlite.Database, project: unknown, rows: number): void {
  const evidence = db.prepare(
    `INSERT INTO evidence (project_id, feature, fingerprint, kind, at, actor)
     VALUES (?, ?, ?, ?, ?, 'agent claude-code')`,
  );
  const run = db.prepare(
    `INSERT INTO evidence_runs (evidence_id, position, command, cwd, outcome, exit_code,
       duration_ms, output_bytes, output_digest, output_tail)
     VALUES (?, 0, 'npm test', '', 'exited', 0, 1200, 300, ?, ?)`,
  );
  const tail = 'ok\n'.repeat(100);
  for (let index = 0; index < rows; index += 1) {
    const digest = createHash('sha256').update(String(index)).digest('hex');
    const kind = index % 7 === 0 ? 'failed' : 'passed';
    const { lastInsertRowid } = evidence.run(
      project,
      featureName(index % 20),
      digest,
      kind,
      NOW + index,
    );
    run.run(lastInsertRowid, digest, tail);
  }
}

/** What hooks leave behind: pending rows of other worktrees, sessions, what was shown, decisions. */
function addNotes(db: Sqlite.Database, project: unknown, rows: number): void {
  const pending = db.prepare(
    `INSERT INTO pending (project_id, worktree, feature, path, cause, agent, session, edits, first_at, last_at)
     VALUES (?, ?, ?, 'src/a.js', 'edit', 'claude-code', ?, 1, ?, ?)`,
  );
  const session = db.prepare(
    `INSERT INTO sessions (agent, id, project_id, worktree, started_at, seen_at)
     VALUES ('claude-code', ?, ?, ?, ?, ?)`,
  );
  const shown = db.prepare('INSERT INTO injections (session, subject, at) VALUES (?, ?, ?)');
  const decision = db.prepare(
    `INSERT INTO decisions (project_id, at, agent, session, rule, decision, command, reason)
     VALUES (?, ?, 'claude-code', ?, 'git push', 'deny', 'git push', 'held')`,
  );
  for (let index = 0; index < rows; index += 1) {
    const id = randomUUID();
    const worktree = `/worktrees/${Math.floor(index / 20)}`;
    const at = NOW + index;
    pending.run(project, worktree, featureName(index % 20), id, at, at);
    session.run(id, project, worktree, at, at);
    shown.run(id, featureName(index % 20), at);
    decision.run(project, at, id);
  }
}
