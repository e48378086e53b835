/** Compares the configuration in the files of a data directory with that of its gateway, or of another data directory. */

import { resolve } from 'node:path'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { type Hunk, lineDiff } from '../../datadir/line-diff.ts'
import { configText } from '../../datadir/masked-config.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import { type GatewayReload, reloadGateway } from '../gateway/reload.ts'
import { type ShownConfig, showConfig } from './show-config.ts'

/** What a reload would change of the running gateway: `hunks` from what it serves to what the files say. */
export type GatewayComparison = GatewayReload & { readonly hunks: readonly Hunk[] }

/** Asks the gateway to compare what it serves with its files, which it alone reads with its environment. Throws a Fault (exit 4). */
export const compareWithGateway = async (finder: GatewayFinder): Promise<GatewayComparison> => {
  const reload = await reloadGateway(finder, { dryRun: true, differences: true })
  const { served = '', files = '' } = reload.differences ?? {}
  return { ...reload, hunks: lineDiff(served, files) }
}

/** The hunks lead from the other data directory to this one; absent where the `problems` keep one of the two from being known. */
export type FolderComparison = {
  readonly hunks?: readonly Hunk[]
  readonly problems: readonly Diagnostic[]
  readonly texts: ShownConfig['texts']
}

/** Compares the files as they are written: no variable is resolved, and `.env` is not compared. */
export const compareWithFolder = (workspace: Workspace, folder: string): FolderComparison => {
  const ours = showConfig(workspace, { resolved: false })
  const theirs = showConfig({ ...workspace, dataDir: resolve(folder), configFile: undefined }, { resolved: false })
  const both = { problems: [...ours.problems, ...theirs.problems], texts: new Map([...ours.texts, ...theirs.texts]) }
  return ours.config && theirs.config ? { ...both, hunks: lineDiff(configText(theirs.config), configText(ours.config)) } : both
}
