/** Every delivery target, by the name `deliver` gives it. */

import type { TargetPart } from '../part.ts'
import { githubComment } from './github-comment.ts'
import { http } from './http.ts'
import { log } from './log.ts'
import { telegram } from './telegram.ts'

export const targets: readonly TargetPart[] = [log, githubComment, http, telegram]

export const targetsByName: ReadonlyMap<string, TargetPart> = new Map(targets.map((target) => [target.name, target]))
