/** What the readers of makefiles, justfiles and Taskfiles give to the runner of their targets. */

/** One target: what it needs first, and the shell texts it runs. */
export interface Recipe {
  readonly needs: readonly string[];
  readonly texts: readonly string[];
}

export interface RecipeBook {
  /** The target that runs where none is named. */
  readonly first: string | undefined;
  readonly find: (target: string) => Recipe | undefined;
}

/** A program that runs targets of a file. Its options are lists of words. */
export interface TargetRunner {
  readonly name: string;
  readonly values: string;
  readonly directory: string;
  /** Options with which nothing runs. */
  readonly dry: string;
  readonly fileOptions: string;
  /** Names of the file, in the order in which they are looked for. */
  readonly files: readonly string[];
  /** The words after the first target are passed to it. */
  readonly passesWords?: true;
  readonly parse: (
    text: string,
    variables: ReadonlyMap<string, string>,
    include: (path: string) => string | undefined,
  ) => RecipeBook;
}
