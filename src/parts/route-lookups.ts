/**
 * Compiles `lookup` of a route: fills in the questions of an event, has them asked at the same time, and puts the answers together. A question
 * that reads the answer to another one is asked after it.
 */

import { type Json, own } from '../core/json.ts'

import type { DeliveryFacts, Event, LookupAnswers } from '../core/request.ts'
import { compileAddress, compileKeyPart, type Renderer } from '../expr/template.ts'
import type { Route } from '../generated/config.ts'
import { defaults } from '../generated/defaults.ts'
import { lookupReads } from './lookup-reads.ts'
import type { Fill, FilledValues, LookupAnswer, LookupFailure, LookupPart, LookupSpec } from './lookups/lookup.ts'
import type { StageKit } from './stages/stage.ts'
import { templateKit } from './template-kit.ts'

/**
 * The answers, as `Event.lookup` has them; or the first failure that ends the event. `passed`: failures after which the event goes on.
 */
type LookedUp =
  | { readonly lookup: LookupAnswers; readonly passed: readonly FailedLookup[]; readonly failed?: never }
  | { readonly failed: FailedLookup }

export type FailedLookup = LookupFailure & { readonly name: string; readonly onFailure: NonNullable<LookupSpec['on_failure']> }

type CompiledLookup = {
  readonly name: string
  readonly part: LookupPart
  readonly spec: LookupSpec
  readonly needs: readonly string[]
  readonly fill: (event: Event) => Promise<FilledValues>
}

export type RouteLookups = {
  /** Asks all questions about an event. Rejects only where a JSONata expression in a template of a question fails. */
  ask(event: Event): Promise<LookedUp>
  /**
   * Asks questions once more with the values that they had, whatever answers are kept. A lookup that the route does not have is left out. Never
   * rejects.
   */
  askAgain(asked: DeliveryFacts['asked']): Promise<LookedUp>
}

/** Compiles the questions, and reports what is wrong with them. */
export const compileLookups = (
  { lookup = {}, lookup_timeout_seconds: seconds = defaults.route.lookup_timeout_seconds }: Route,
  kit: StageKit,
): RouteLookups => {
  const compiled = inOrder(
    Object.entries(lookup).flatMap(([name, spec]) => (spec && compileOne(name, spec, Object.keys(lookup), kit)) ?? []),
    kit,
  )
  const { profile, effects } = kit
  const deadlineFromNow = (): number => effects.clock.monotonic() + seconds * 1000
  const askOne = async (
    { name, part, spec }: CompiledLookup,
    values: FilledValues,
    isFresh: boolean,
    deadline: number,
  ): Promise<LookupAnswer | undefined> => {
    const unasked = part.unasked(spec, values)
    if (unasked === 'unfilled') return { ok: true, text: 'null' }
    return unasked ?? effects.lookup({ profile, name, part, spec, values, deadline, ...(isFresh ? { isFresh } : {}) })
  }
  const settle = async (answers: ReadonlyMap<string, Promise<LookupAnswer | undefined>>): Promise<LookedUp> => {
    const settled = await Promise.all([...answers].map(async ([name, answer]) => [name, await answer] as const))
    const failures = settled.flatMap(([name, answer]): FailedLookup[] => {
      const onFailure = own(lookup, name)?.on_failure ?? defaults.lookup.on_failure
      return answer && !answer.ok ? [{ ...answer, name, onFailure }] : []
    })
    const failed = failures.find(({ onFailure }) => onFailure !== 'pass')
    return failed ? { failed } : { lookup: together(settled), passed: failures }
  }
  return {
    async ask(event) {
      const deadline = deadlineFromNow()
      const answers = new Map<string, Promise<LookupAnswer | undefined>>()
      const asked: [name: string, values: FilledValues][] = []
      for (const each of compiled) {
        const answer = async (): Promise<LookupAnswer | undefined> => {
          const needed = await Promise.all(each.needs.map(async (need) => [need, await answers.get(need)] as const))
          const values = await each.fill({ ...event, lookup: together(needed) })
          asked.push([each.name, values])
          return askOne(each, values, false, deadline)
        }
        answers.set(each.name, answer())
      }
      const known = await settle(answers)
      return known.failed ? known : { ...known, lookup: { ...known.lookup, asked: Object.fromEntries(asked) } }
    },
    askAgain(asked) {
      const deadline = deadlineFromNow()
      const again = compiled.flatMap((each) => {
        const values = own(asked, each.name)
        return values ? [[each.name, askOne(each, values, true, deadline)] as const] : []
      })
      return settle(new Map(again))
    },
  }
}

/** Puts answers into one map. What was not asked, or failed, is not in it. */
const together = (answers: readonly (readonly [name: string, answer: LookupAnswer | undefined])[]): LookupAnswers => {
  const known = answers.flatMap(([name, answer]) => (answer?.ok ? [[name, answer.text] as const] : []))
  return {
    text: `{${known.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`,
    payload: Object.fromEntries(known.map(([name, text]) => [name, JSON.parse(text) as Json])),
  }
}

/** Compiles a question; `undefined` where it names no part, or several. */
const compileOne = (name: string, spec: LookupSpec, names: readonly string[], kit: StageKit): CompiledLookup | undefined => {
  const { lookups, report } = kit
  const [part, ...others] = [...lookups.values()].filter((each) => spec[each.name as keyof LookupSpec] !== undefined)
  const known = [...lookups.keys()].join(', ')
  if (!part || others.length > 0) {
    report('WH249', ['lookup', name], `a lookup asks exactly one of: ${known}`, `write one of these keys: ${known}`)
    return undefined
  }
  part.check(spec, (code, path, message, help) => report(code, ['lookup', name, ...path], message, help))
  const { on_failure: _, ...asked } = spec
  const needs = new Set<string>()
  for (const { name: read, at } of lookupReads(asked as Json, ['lookup', name])) {
    if (names.includes(read) && read !== name) needs.add(read)
    else
      report(
        'WH249',
        at,
        `"lookup.${read}" is no other lookup of this route`,
        `the others are: ${names.filter((each) => each !== name).join(', ') || 'none'}`,
      )
  }
  return { name, part, spec, needs: [...needs], fill: compileFills(part.fills(spec), ['lookup', name], kit) }
}

const compileFills = (
  fills: { readonly [key: string]: Fill },
  path: readonly string[],
  kit: StageKit,
): ((event: Event) => Promise<FilledValues>) => {
  const values = Object.entries(fills).map(([key, { use, texts, isOptional = false }]) => {
    const template = { ...templateKit(kit, [...path, key]), ...(isOptional || texts.length > 1 ? { filled: undefined } : {}) }
    const compile = use === 'address' ? compileAddress : compileKeyPart
    return { key, renderers: texts.map((text): Renderer<string | undefined> => compile(text, template as ReturnType<typeof templateKit>)) }
  })
  return async (event) => {
    const filled: { [key: string]: string } = {}
    for (const { key, renderers } of values)
      for (const render of renderers) {
        const value = await render(event)
        if (value === undefined) continue
        filled[key] = value
        break
      }
    return filled
  }
}

/** Puts those that others need first. Reports questions that need each other, and leaves them out. */
const inOrder = (lookups: readonly CompiledLookup[], { report }: StageKit): readonly CompiledLookup[] => {
  const ordered: CompiledLookup[] = []
  let rest = lookups
  while (rest.length > 0) {
    const isReady = ({ needs }: CompiledLookup): boolean =>
      needs.every((need) => ordered.some(({ name }) => name === need) || !rest.some(({ name }) => name === need))
    const next = rest.filter(isReady)
    if (next.length === 0) {
      const names = rest.map(({ name }) => name)
      report(
        'WH249',
        ['lookup', names[0] as string],
        `the lookups ${names.join(', ')} wait for each other`,
        'let one of them read the payload alone',
      )
      return ordered
    }
    ordered.push(...next)
    rest = rest.filter((each) => !next.includes(each))
  }
  return ordered
}
