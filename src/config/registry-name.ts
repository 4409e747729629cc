/** The file of a repository that names its features and its policy, at the root. */
export const REGISTRY_FILE = 'lanehold.json';
