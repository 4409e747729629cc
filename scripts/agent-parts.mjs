/**
 * Leaves out what the definition of an agent could load, and the program that is built never does.
 *
 * @param {readonly string[]} parts names of files in the folder of each agent.
 */
export function withoutPartsOfAgents(parts) {
  const filter = new RegExp(`^\\./(?:${parts.join('|')})\\.ts$`);
  return {
    name: 'without-parts-of-agents',
    setup({ onResolve }) {
      onResolve({ filter }, ({ path, importer }) =>
        /\/src\/agents\/[^/]+\/agent\.ts$/.test(importer) ? { path, external: true } : undefined,
      );
    },
  };
}
