/** The list of lookups, and a map by their names. */

import { gitea } from './gitea.ts'
import { github } from './github.ts'
import { gitlab } from './gitlab.ts'
import { http } from './http.ts'
import type { LookupPart } from './lookup.ts'

export const lookups: readonly LookupPart[] = [http, github, gitlab, gitea]

export const lookupsByName: ReadonlyMap<string, LookupPart> = new Map(lookups.map((part) => [part.name, part]))
