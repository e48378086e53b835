/**
 * Compiles what an agent's program gets of an event besides the prompt: the payload (`payload: true` of the agent), and the variables whose
 * values are templates (`env`). Both are kept by the run, because the event is gone when the agent is asked (rules: Agents 14 and 15).
 */

import { exactOf } from '../core/exact-json.ts'
import { type Refused, refuse } from '../core/outcome.ts'
import type { MaybePromise } from '../core/plan.ts'
import type { Event } from '../core/request.ts'
import { cut } from '../core/text.ts'
import { isTemplate } from '../expr/placeholder.ts'
import { renderJson } from '../expr/render.ts'
import { compileKeyPart, type Renderer, thenAll } from '../expr/template.ts'
import { hasVariable } from '../secrets/variables.ts'
import type { StageKit } from './stages/stage.ts'
import { templateKit } from './template-kit.ts'

const maxPayloadBytes = 1_048_576
const maxValueUnits = 1024

/** Whether an event fills in this value of `env`. Any other value is of the configuration, and is read when the agent is asked. */
export const isOfEvent = (value: string): boolean => isTemplate(value) && !hasVariable(value)

/** Adds to an event what the agent asks for. */
type Give = (event: Event) => MaybePromise<Event | Refused>

/** Makes a text one line without control characters. No program takes a part of such a value for a line of its own. */
const lineOf = (text: string): string => cut(text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' '), maxValueUnits)

/** Returns what adds to an event all that an agent asks for; `undefined` where it asks for nothing. */
export const compileGiven = (agent: string, kit: StageKit): Give | undefined => {
  const { envValues = {}, payload: isAsked = false } = kit.agents.get(agent) ?? {}
  const written = Object.entries(envValues).filter(([, value]) => isOfEvent(value))
  if (!isAsked && written.length === 0) return undefined
  const values = written.map(([name, value]): Renderer<readonly [string, string] | undefined> => {
    const render = compileKeyPart(value, templateKit(kit, ['agent', 'env', name]))
    return (event) => thenAll([render(event)], ([text]) => (text === undefined ? undefined : ([name, lineOf(text)] as const)))
  })
  const { onlooker } = kit.effects
  return (event) => {
    const payload = isAsked ? renderJson(exactOf(event), Number.POSITIVE_INFINITY, 0) : undefined
    if (payload !== undefined && Buffer.byteLength(payload) > maxPayloadBytes)
      return refuse('schema_mismatch', {
        detail: `the agent "${agent}" asks for the payload, which has more than ${maxPayloadBytes} bytes`,
      })
    return thenAll(
      values.map((value) => value(event)),
      (filled): Event => {
        const set = filled.filter((each) => each !== undefined)
        const names = [...set.map(([name]) => name), ...(isAsked ? ['the payload as a file'] : [])]
        onlooker?.noted(`the agent "${agent}" gets ${names.join(', ') || 'no variable: their placeholders have no value'}`)
        const given = { ...(payload === undefined ? {} : { payload }), ...(set.length > 0 ? { env: Object.fromEntries(set) } : {}) }
        return { ...event, given }
      },
    )
  }
}
