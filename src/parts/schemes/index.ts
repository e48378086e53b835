/** The list of signature schemes: the first one whose headers a request has verifies it (rules: Authentication 1). */

import { v1, v2 } from './generic.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { linear } from './linear.ts'
import type { Scheme } from './scheme.ts'
import { standardWebhooks, svix } from './standard-webhooks.ts'

export const schemes: readonly Scheme[] = [svix, standardWebhooks, linear, github, gitlab, v2, v1]

/** What a sender signs with that may choose: tests do so, and hints show it. */
export const ownScheme: Scheme = v2
