/** What the answers to the console's questions work with. */

import type { Audit } from '../../app/audit/audit.ts'
import type { EditorService } from '../../app/editor/service.ts'
import type { GatewayFinder } from '../../app/running-gateway.ts'
import type { Workspace } from '../../app/workspace.ts'
import { exit, Fault } from '../../core/fault.ts'
import type { Right, SignIn } from '../access/sign-ins.ts'

export type Surroundings = {
  readonly workspace: Workspace
  readonly gateway: GatewayFinder
  /** The questions of the terminal editor, which the pages about routes ask, too. */
  readonly service: EditorService
  readonly audit: Audit
}

/** Throws a Fault where the sign-in lacks a right that only some forms of a question take. */
export const needRight = (signIn: SignIn, right: Right, what: string): void => {
  if (!signIn.rights.has(right))
    throw new Fault('not_allowed', `${what} takes the right "${right}"`, { exitCode: exit.no, hint: 'ask whoever runs the console' })
}
