/** The surroundings of all answers, and the checks of the right `payloads`. */

import type { Clock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { GatewayFinder } from '../../datadir/running-gateway.ts'
import type { Workspace } from '../../datadir/workspace.ts'
import type { EditorService } from '../../edit/service.ts'
import type { Audit } from '../../features/audit/audit.ts'
import type { SearchCriteria } from '../../operate/events/event-search.ts'
import type { SignIn } from '../access/sign-ins.ts'

export type AnswerSurroundings = {
  readonly workspace: Workspace
  readonly gateway: GatewayFinder
  /** The editor service. The pages about routes ask the same questions as the terminal editor. */
  readonly service: EditorService
  readonly audit: Audit
  readonly clock: Clock
}

/** Throws a Fault where the sign-in may not see payloads. `what`: the action that takes the right, as the subject of a sentence. */
export const needPayloadsRight = ({ rights }: SignIn, what: string): void => {
  if (!rights.has('payloads')) throw new Fault('not_allowed', `${what} takes the right "payloads"`, { exitCode: exit.no })
}

/**
 * Throws a Fault where the criteria search in payloads and the sign-in may not see payloads: the found events would reveal what their
 * payloads have.
 */
export const needSearchRight = (signIn: SignIn, { text, field }: SearchCriteria): void => {
  if (text !== undefined || field !== undefined) needPayloadsRight(signIn, 'a search in payloads')
}
