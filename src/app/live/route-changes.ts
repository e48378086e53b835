/** What a reload does to the configured routes, and whether that looks like a file that was cut off. */

import type { Config } from '../../config/config.ts'
import { type Diagnostic, diagnostic } from '../../core/diagnostic.ts'
import type { RouteChanges } from '../../core/fact.ts'

type Routes = Config['routes']

export const routeChanges = (before: Routes, next: Routes): RouteChanges => ({
  added: [...next.keys()].filter((name) => !before.has(name)),
  changed: [...next.values()].flatMap(({ name, digest }) => {
    const old = before.get(name)
    return old && old.digest !== digest ? [name] : []
  }),
  removed: [...before.keys()].filter((name) => !next.has(name)),
})

/** A route with a new name is one that was removed and one that was added, and nothing is lost. */
const isMostlyGone = ({ added, removed }: RouteChanges, before: Routes): boolean => (removed.length - added.length) * 2 > before.size

/** Why these changes are not taken over unless the operator insists: an editor, a full disk or a broken copy leaves such files. */
export const lostRoutes = (before: Config, next: Config, changes: RouteChanges): Diagnostic[] => {
  const isEmptied = next.isEmpty && !before.isEmpty
  if (!isEmptied && !isMostlyGone(changes, before.routes)) return []
  const removed = `the reload would remove ${changes.removed.length} of ${before.routes.size} routes`
  const message = isEmptied ? `config.yaml is empty: ${removed}` : removed
  return [diagnostic('WH808', message, { help: 'look at the file; if it is as you want it: headgate gateway reload --force' })]
}
