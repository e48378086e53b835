/** The subject of a review: a route, its context, and the function that reports a finding about it. */

import type { Profile, RouteSource } from '../../config/config.ts'
import {
  type Code,
  type Diagnostic,
  diagnostic,
  type Edit,
  type Fix,
  type Path,
  pointerOf,
  type SourceRange,
} from '../../core/diagnostic.ts'
import { pathInLookup } from '../../expr/path.ts'
import type { ReviewContext } from './review-context.ts'

/** The details of a finding beside its message. `help` is required, because every finding has a way out. */
type FindingDetails = Pick<Diagnostic, 'suggest' | 'fix' | 'related' | 'place'> & { readonly help: string; readonly of?: 'key' | 'value' }

/** Reports a finding at a path into the route. */
export type ReportFinding = (code: Code, path: Path, message: string, more: FindingDetails) => void

export type Subject = ReviewContext & {
  readonly route: RouteSource
  readonly spec: RouteSource['spec']
  readonly profile: Profile
  readonly say: ReportFinding
  readonly placeOf: (path: Path, of?: 'key' | 'value') => SourceRange
}

/** Makes the subject of a route. Its findings go to `into`. */
export const subjectOf = (route: RouteSource, profile: Profile, around: ReviewContext, into: Diagnostic[]): Subject => {
  const placeOf: Subject['placeOf'] = (path, of = 'value') => route.place([...route.base, ...path], of)
  const say: ReportFinding = (code, path, message, { of, place = placeOf(path, of), ...more }) => {
    into.push(diagnostic(code, message, { ...more, place, pointer: pointerOf([...route.base, ...path]), route: route.name }))
  }
  return { ...around, route, spec: route.spec, profile, say, placeOf }
}

/** Makes a fix of edits. `safe`: as in `Fix`. */
export const fixOf = (title: string, safe: boolean, ...edits: readonly Edit[]): Fix => ({ title, safe, edits })

/** Renders a path as people write it: `filters[2].not.field`. */
export const writtenPath = (path: Path): string =>
  path.reduce<string>((text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`), '')

/** Returns words as `"a" or "b"`. */
export const eitherOf = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' or ')

/** Whether a path leads into the answers of the route's lookups, which no payload has. */
export const isOfLookup = (path: string, { spec }: Pick<Subject, 'spec'>): boolean =>
  spec.lookup !== undefined && pathInLookup(path) !== undefined
