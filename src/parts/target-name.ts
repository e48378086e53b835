/** Returns the name of a delivery target without its aliases (rules: Names 1). */

import { own } from '../core/json.ts'
import { targetAliases } from '../generated/settings.ts'

export const targetName = (name: string): string => own(targetAliases, name) ?? name
