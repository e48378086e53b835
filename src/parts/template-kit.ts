/**
 * Connects the templates of a route with its reports and the log: a mistake in a template is reported when the route is compiled, and an
 * expression that is stopped by a limit, while an event is handled, is logged.
 */

import type { Path } from '../core/diagnostic.ts'
import type { TemplateKit } from '../expr/template.ts'
import type { StageKit } from './stages/stage.ts'

/** Makes the functions that the template at this path of the route calls for its reports. */
export const templateKit = ({ report, effects }: StageKit, path: Path): TemplateKit => ({
  report: (message) => report('WH503', path, message, 'an expression is {= … }; its language is described at https://docs.jsonata.org'),
  ...(effects.onlooker ? { filled: (filled) => effects.onlooker?.filled(path.join('.'), filled) } : {}),
  gaveUp: ({ route, profile, deliveryId, eventType }, reason) =>
    effects.log(
      'warn',
      { route, profile, delivery_id: deliveryId, event_type: eventType, stage: path.join('.'), reason },
      'expression given up',
    ),
})
