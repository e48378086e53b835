/**
 * Connects the templates of a route with its reports, the log and the observer of the plan. A mistake in a template is reported when the
 * route is compiled. While an event is handled, an expression that fails is logged and noted, and the observer, where there is one, is told each
 * placeholder that is filled in.
 */

import type { Path } from '../core/diagnostic.ts'
import type { TemplateKit } from '../expr/template.ts'
import type { StageKit } from './stages/stage.ts'

/** Makes the functions that the template at this path of the route calls. */
export const templateKit = ({ report, effects, expressions }: StageKit, path: Path): TemplateKit => ({
  report: (message) => report('WH503', path, message, 'an expression is {= … }; its language is described at https://docs.jsonata.org'),
  ...(effects.onlooker ? { filled: (filled) => effects.onlooker?.filled(path.join('.'), filled) } : {}),
  failed: (event, reason) => {
    const { route, profile, deliveryId, eventType } = event
    const stage = path.join('.')
    effects.log('warn', { route, profile, delivery_id: deliveryId, event_type: eventType, stage, reason }, 'expression failed')
    expressions.note(event, `${stage}: ${reason}`)
  },
})
