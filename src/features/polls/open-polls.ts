/** Opens the polls of a gateway, once a route has `poll`. Until then their code is not loaded. */

import { servedAs } from '../../plan/table.ts'
import type { FeatureKit, OpenedFeature } from '../feature.ts'
import { openLater } from '../open-later.ts'

export const openPolls = (kit: FeatureKit) => {
  const { lead, clock, log, facts, current, takesEvents: isReady, pauses, scope } = kit
  const names = (): readonly string[] =>
    current()
      .served()
      .flatMap(({ source }) => (source.spec.poll === undefined ? [] : [source.name]))
  const { begin, part, close } = openLater(
    scope,
    () => names().length > 0,
    async (scope) => {
      const [{ Polls }, { takePulled }] = await Promise.all([import('./polls.ts'), import('./take-pulled.ts')])
      const polls = new Polls({
        clock,
        log,
        isReady,
        isPaused: (route) => pauses.refuses(route),
        take: takePulled({ clock, facts, maxBodyBytes: () => current().maxBodyBytes }),
        lead,
        served: (name) => servedAs(current().table, name),
        names,
      })
      scope.defer(() => polls.close())
      return polls
    },
  )
  return {
    async begin() {
      await begin()
      part()?.refresh()
    },
    stop: close,
    status() {
      const polls = part()?.states() ?? []
      return polls.length > 0 ? { polls } : {}
    },
  } satisfies OpenedFeature
}
