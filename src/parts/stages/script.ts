/**
 * The gate `script` passes the payload to the route's script. The script's output replaces the payload, is added to it, or says that the
 * event is ignored. Without output, or when the script fails, the event is ignored, too (rules: Scripts 2, 3). When too many scripts wait,
 * the request is refused.
 */

import { join } from 'node:path'
import { isObject, type Json, type JsonObject, own, textWithMember } from '../../core/json.ts'
import { type Ignored, refuse } from '../../core/outcome.ts'
import type { Event } from '../../core/request.ts'
import { checkScript } from '../../process/script.ts'
import type { StagePart } from './stage.ts'

const retryAfterSeconds = 5

export const script: StagePart = {
  name: 'script',
  compile(route, kit) {
    const path = route.script
    if (path === undefined) return {}
    const folder = join(kit.profileDir, 'scripts')
    kit.recompileAtReload()
    const problem = checkScript(folder, path)
    if (problem) kit.report(problem.code, ['script'], problem.message, 'put the script under the scripts folder of the profile')
    const timeoutMs = (route.script_timeout_seconds ?? kit.adapter.script_timeout_seconds) * 1000
    return {
      async onEvent(event) {
        const place = kit.effects.traces?.placeOf(event)
        const env = {
          HEADGATE_EVENT: event.eventType,
          HEADGATE_DELIVERY_ID: event.deliveryId,
          ...(place ? { TRACEPARENT: place.traceparent } : {}),
        }
        const result = await kit.effects.script(folder, { path, input: inputOf(event), timeoutMs, env })
        if (!result) return refuse('overloaded', { retryAfterSeconds, detail: 'too many scripts are waiting' })
        if (result.ok) return applyOutput(event, result.output) ?? ignoredByScript(kit.name, `script ${path}: silent`)
        kit.effects.log(
          'warn',
          { route: kit.name, profile: kit.profile, script: path, reason: result.why },
          'script failed: the event is ignored',
        )
        return ignoredByScript(kit.name, `script ${path}: ${result.why}`)
      },
    }
  },
}

/** Returns the payload as JSON, with the answers to the lookups of the route as its member `lookup`. */
const inputOf = ({ payload, text, lookup }: Event): string => {
  if (!lookup) return text
  const map = mapOf(payload, text)
  return textWithMember(map.text, map.payload, 'lookup', lookup.text)
}

/** Returns a payload that is no map as the member `payload` of one. */
const mapOf = (payload: Json, text: string): { readonly payload: JsonObject; readonly text: string } =>
  isObject(payload) ? { payload, text } : { payload: { payload }, text: `{"payload":${text}}` }

const ignoredByScript = (route: string, why: string): Ignored => ({ kind: 'ignored', reason: 'script', route, detail: () => why })

/**
 * Returns the event with the output of the script in it; `undefined` where the event is to be ignored: for no output, `[SILENT]`, or an
 * object whose `__hermes_ignore__` is true (rules: Scripts 2, 3). Any other JSON object takes the place of payload and text. Other text is
 * added to the payload as `script_output`; a payload that is no map moves under `payload` first.
 */
const applyOutput = (event: Event, output: string): Event | undefined => {
  const text = output.trim()
  if (text === '' || text === '[SILENT]') return undefined
  const parsed = parseObject(text)
  if (parsed) return own(parsed, '__hermes_ignore__') === true ? undefined : { ...event, text, payload: parsed }
  const before = mapOf(event.payload, event.text)
  return {
    ...event,
    text: textWithMember(before.text, before.payload, 'script_output', JSON.stringify(text)),
    payload: { ...before.payload, script_output: text },
  }
}

const parseObject = (text: string): { [key: string]: Json } | undefined => {
  if (!text.startsWith('{')) return undefined
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
