/** What a gateway loads once a route of it has `poll`. */

export { Polls } from './polls.ts'
export { takePulled } from './take-pulled.ts'
