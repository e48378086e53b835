/** Removes the secrets of the configuration from what a command says of its failure: a server or a program may have quoted one. */

import { loadConfig } from '../config/load.ts'
import { hasReference } from '../config/secrets/reference.ts'
import type { Workspace } from '../datadir/workspace.ts'
import { knownSecrets } from '../plan/known-secrets.ts'
import { createRedactor } from '../secrets/redact.ts'
import { configuredSecrets } from './samples/add-sample.ts'

/**
 * Returns a function that replaces each secret of the configuration and of the subscriptions with `***`. Never throws: of files that cannot
 * be read, no secret is known. The secrets that programs give are not known either, because no program is asked.
 */
export const workspaceRedactor = (workspace: Workspace): ((text: string) => string) => createRedactor(secretsOfSources(workspace))

const secretsOfSources = (workspace: Workspace): readonly string[] => {
  for (const read of [configuredSecrets, (of: Workspace) => knownSecrets(loadConfig(of).config)]) {
    try {
      // A reference whose program was not asked stands in place of its secret, and is what the user must see.
      return read(workspace).filter((secret) => !hasReference(secret))
    } catch {
      // The subscriptions, then the configuration, cannot be read.
    }
  }
  return []
}
