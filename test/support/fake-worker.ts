/** What the stand-ins in `test/fixtures/bin` (`claude`, `codex`, `fake-check`) can be told to do. */

export type Files = Readonly<Record<string, string>>;

export interface Usage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Relative paths start at the program's working directory; flags are names in the project's folder. */
export type Step =
  | { readonly sleep: number }
  /** Waits until a test, or another program's `raise`, has raised that flag. */
  | { readonly waitFor: string }
  | { readonly raise: string }
  | { readonly hang: true }
  | { readonly repeat: { readonly times: number; readonly steps: readonly Step[] } }
  | { readonly write: Files }
  | { readonly append: Files }
  | { readonly delete: readonly string[] }
  | { readonly rename: Files }
  /** Link to what it points to. */
  | { readonly symlink: Files }
  | { readonly edit: { readonly path: string; readonly from: string; readonly to: string } }
  /** Puts a file back to what it was in a revision (default HEAD), and adds to it. */
  | {
      readonly writeOld: {
        readonly path: string;
        readonly revision?: string;
        readonly append?: string;
      };
    }
  | { readonly git: readonly string[] }
  | { readonly sh: string }
  /** `git add --all`, then a commit with this message on whatever branch it stands on. */
  | { readonly commit: string }
  /** Runs `lanehold` from PATH; how it ended is in the journal. */
  | { readonly lanehold: readonly string[] }
  | { readonly say: string }
  | { readonly usage: Usage }
  | {
      readonly tool: {
        readonly name: string;
        readonly input: object;
        readonly output?: string;
        readonly error?: true;
      };
    }
  /** All steps of its plan, and whether each is done. */
  | { readonly plan: Readonly<Record<string, boolean>> }
  /** The client's last word, in its own format. Without it a success is told after the last step. */
  | { readonly result: Result }
  /** The client's last word when a usage limit is reached; `text` as its maker words it. */
  | { readonly quota: { readonly text?: string; readonly exit?: number } }
  /** Tells nothing of its own: only what other steps print. */
  | { readonly quiet: true }
  | { readonly print: string }
  /** As `print`, without an end of line. */
  | { readonly raw: string }
  | { readonly stderr: string }
  | {
      readonly flood: {
        readonly bytes: number;
        readonly stream?: 'stdout' | 'stderr';
        readonly line?: number;
      };
    }
  | { readonly daemon: Daemon }
  /** Signals that it notes and lives on after. */
  | { readonly ignore: readonly NodeJS.Signals[] }
  /** Stops itself with SIGSTOP. */
  | { readonly stop: true }
  /** A note in the journal, with the commit that it stands on. */
  | { readonly record: string }
  | { readonly exit: number }
  | { readonly die: NodeJS.Signals };

export interface Result {
  readonly isError?: boolean;
  readonly text?: string;
  readonly usage?: Usage;
  readonly exit?: number;
  /** The rest is known to `claude` alone. */
  readonly session?: string;
  readonly subtype?: string;
  readonly terminalReason?: string;
  readonly status?: number;
  readonly turns?: number;
  readonly usd?: number;
  readonly denials?: readonly object[];
}

export interface Daemon {
  readonly name: string;
  readonly how?: 'setsid' | 'double-fork' | 'child';
  /** Outlives SIGTERM and SIGHUP; true unless said otherwise. */
  readonly ignoreTerm?: boolean;
  /** A file that it goes on appending to. */
  readonly writes?: string;
  /** Starts it without any environment, so that nothing tells where it comes from. */
  readonly bare?: true;
}

/** For each name what its first start does, its second, …; the last entry serves all later ones. */
type Parts = Readonly<Record<string, readonly (readonly Step[])[]>>;

export interface Scenario {
  /** By lane key; `*` is every other lane. */
  readonly lanes?: Parts;
  /** By the name given to `fake-check`. */
  readonly checks?: Parts;
}

interface Noted {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface WorkerStart extends Noted {
  readonly event: 'start';
  readonly client: 'claude' | 'codex';
  readonly lane: string;
  /** 1 for the first start of that lane. */
  readonly n: number;
  readonly start?: string;
  /** Workers of that lane that were alive when this one began: always 0 if all is well. */
  readonly others: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly head: string | null;
  readonly session: string;
  readonly resumed?: string;
  /** File that holds the prompt. */
  readonly prompt: string;
  /** What it was given of `LANEHOLD_*`, `GIT_*`, `CLAUDE*`, `CODEX*`, `AGENT`, `AI_AGENT`. */
  readonly env: Readonly<Record<string, string>>;
}

interface CheckStart extends Noted {
  readonly event: 'check';
  readonly check: string;
  readonly n: number;
  readonly start?: string;
  /** Checks of that name that ran in the same worktree, or for the same lane, when this one began. */
  readonly others: number;
  readonly stage: string | null;
  readonly attempt: string | null;
  readonly cwd: string;
  readonly head: string | null;
}

export type Note =
  | WorkerStart
  | CheckStart
  /** As the client, it would not start: no such session to resume, or one of that name already. */
  | (Noted & {
      readonly event: 'refused';
      readonly client: 'claude' | 'codex';
      readonly lane: string;
      readonly argv: readonly string[];
      readonly refusal: string;
    })
  | (Noted & { readonly event: 'end'; readonly lane: string; readonly n: number })
  | (Noted & { readonly event: 'checked'; readonly check: string; readonly n: number })
  | (Noted & { readonly event: 'record'; readonly label: string; readonly head: string | null })
  | (Noted & {
      readonly event: 'daemon';
      readonly name: string;
      readonly daemon: number;
      readonly start?: string;
    })
  | (Noted & {
      readonly event: 'lanehold';
      readonly args: readonly string[];
      readonly status: number;
      readonly stdout: string;
      readonly stderr: string;
    })
  | (Noted & {
      readonly event: 'failed';
      readonly command: readonly string[];
      readonly status: number | null;
      readonly stdout: string;
      readonly stderr: string;
    })
  | (Noted & { readonly event: 'ignored'; readonly signal: string })
  | (Noted & { readonly event: 'exit'; readonly code: number })
  | (Noted & { readonly event: 'die'; readonly signal: string });
