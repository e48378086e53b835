/** Resolves the aliases of targets. */

import { own } from '../core/json.ts'
import { targetAliases } from '../generated/settings.ts'

/** Returns the target that an alias stands for; any other name as it is (rules: Names 1). */
export const targetName = (name: string): string => own(targetAliases, name) ?? name
