/** The real name of a delivery target that is called by another one (rules: Names 1). */

import { own } from '../core/json.ts'
import { targetAliases } from '../generated/settings.ts'

export const targetName = (name: string): string => own(targetAliases, name) ?? name
