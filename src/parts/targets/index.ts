/** Every delivery target, by the name `deliver` gives it. */

import type { TargetPart } from '../part.ts'
import { githubComment } from './github-comment.ts'
import { http } from './http.ts'
import { log } from './log.ts'

export const targets: readonly TargetPart[] = [log, githubComment, http]

export const targetsByName: ReadonlyMap<string, TargetPart> = new Map(targets.map((target) => [target.name, target]))
