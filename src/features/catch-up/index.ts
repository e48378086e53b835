/** What a gateway loads once a route of it has `catch_up`. */

export { takePulled } from '../polls/take-pulled.ts'
export { CatchUps } from './catch-up.ts'
export { CatchUpTriggers } from './triggers.ts'
