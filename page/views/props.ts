/** What every view is given. */
export interface ViewProps {
  /** What its address names of it, such as a feature. */
  readonly name: string | null;
}
