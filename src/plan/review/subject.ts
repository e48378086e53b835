/** What a review looks at: one route that compiles, what is around it, and the way to say where something is likely wrong. */

import type { Profile, RouteSource } from '../../config/config.ts'
import { type Code, type Diagnostic, diagnostic, type Edit, type Fix, type Path, type Place, pointerOf } from '../../core/diagnostic.ts'
import type { ReviewContext } from './review-context.ts'

/** What is said beside the message; the way out always is. */
type More = Pick<Diagnostic, 'suggest' | 'fix' | 'related' | 'place'> & { readonly help: string; readonly of?: 'key' | 'value' }

/** Says that something is likely wrong at a path into the route. */
export type ReportFinding = (code: Code, path: Path, message: string, more: More) => void

export type Subject = ReviewContext & {
  readonly route: RouteSource
  readonly spec: RouteSource['spec']
  readonly profile: Profile
  readonly say: ReportFinding
  readonly placeOf: (path: Path, of?: 'key' | 'value') => Place
}

/** What is said about the route goes to `into`. */
export const subjectOf = (route: RouteSource, profile: Profile, around: ReviewContext, into: Diagnostic[]): Subject => {
  const placeOf: Subject['placeOf'] = (path, of = 'value') => route.place([...route.base, ...path], of)
  const say: ReportFinding = (code, path, message, { of, place = placeOf(path, of), ...more }) => {
    into.push(diagnostic(code, message, { ...more, place, pointer: pointerOf([...route.base, ...path]), route: route.name }))
  }
  return { ...around, route, spec: route.spec, profile, say, placeOf }
}

/** A fix that puts one text in the place of another. */
export const replacing = (title: string, safe: boolean, ...edits: readonly Edit[]): Fix => ({ title, safe, edits })

/** A path below a key as people write it: `filters[2].not.field`. */
export const written = (path: Path): string =>
  path.reduce<string>((text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`), '')

/** `"a"`, `"a" or "b"` */
export const anyOf = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' or ')
