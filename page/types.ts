/** The types of what the server answers: those of the use cases, and nothing else of the program. */
export interface ProjectsView {
  readonly projects: readonly { readonly key: string; readonly name: string }[];
  readonly readOnly: string | null;
}
export interface NeedsView {
  readonly items: readonly unknown[];
}
