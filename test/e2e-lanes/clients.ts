/** The real clients that coordinate and work on lanes. */
import { findClient } from '../e2e/client.ts';
import { CLIENT } from '../e2e-claude/client.ts';
import { CODEX } from '../e2e-codex/driver.ts';

/** Absolute paths of the programs. */
export interface Clients {
  readonly claude: string;
  readonly codex: string;
}

/** @throws {NoClientError} */
export async function findClients(print: (line: string) => void): Promise<Clients> {
  const claude = await findClient(CLIENT, print);
  return { claude, codex: await findClient(CODEX.client, print) };
}
