/** What the answers to the console's questions work with. */

import type { Audit } from '../../app/audit/audit.ts'
import type { EditorService } from '../../app/editor/service.ts'
import type { SearchCriteria } from '../../app/events/event-search.ts'
import type { GatewayFinder } from '../../app/running-gateway.ts'
import type { Workspace } from '../../app/workspace.ts'
import type { Clock } from '../../core/clock.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { SignIn } from '../access/sign-ins.ts'

export type Surroundings = {
  readonly workspace: Workspace
  readonly gateway: GatewayFinder
  /** The questions of the terminal editor, which the pages about routes ask, too. */
  readonly service: EditorService
  readonly audit: Audit
  readonly clock: Clock
}

/** Throws a Fault where the sign-in may not see payloads. `what`: what takes the right, as the subject of a sentence. */
export const needPayloadsRight = ({ rights }: SignIn, what: string): void => {
  if (!rights.has('payloads')) throw new Fault('not_allowed', `${what} takes the right "payloads"`, { exitCode: exit.no })
}

/** Throws a Fault where criteria search in payloads and the sign-in may not see payloads: what a search finds tells what was searched. */
export const needSearchRight = (signIn: SignIn, { text, field }: SearchCriteria): void => {
  if (text !== undefined || field !== undefined) needPayloadsRight(signIn, 'a search in payloads')
}
