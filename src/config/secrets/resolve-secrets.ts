/** Resolves the references in every value that the schema marks as a secret (rules: Configuration 3). */

import { type Code, type Diagnostic, diagnostic, type Path, pointerOf } from '../../core/diagnostic.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { type Env, isUnknown } from '../env.ts'
import { mapWhere } from '../schema-walk.ts'
import type { Source } from '../yaml/source.ts'
import { resolveReferences } from './reference.ts'

/** Whether a secret is only `whsec_`, the prefix of each Standard Webhooks secret, which everybody knows. */
export const isPrefixAlone = (secret: string): boolean => /^\s*whsec_[\s=]*$/.test(secret)

/** The code, the message and the help for a secret that is only a prefix (`isPrefixAlone`). */
export const prefixAlone = [
  'WH309',
  'nothing follows "whsec_" in this secret',
  'copy the whole secret: the base64 after whsec_ is its key',
] as const
const mixedMessage = 'a reference and a placeholder in one text: what a payload fills in is stored, and the secret would be'
const mixedHelp = 'give the secret a header of its own; its value must have no {'

/**
 * Returns a copy of `data`, which `schema` describes and which stands at the path `base` of its file, with every secret resolved. WH305
 * reports a reference that cannot be resolved, WH309 a secret that is only a prefix, WH707 a reference beside a placeholder. A value that
 * is reported stays as it is. While the environment is unknown, a reference that cannot be resolved stays without a report.
 */
export const resolveSecrets = (
  schema: JsonObject,
  data: Json,
  env: Env,
  source: Pick<Source, 'place'>,
  base: Path = [],
): { readonly data: Json; readonly diagnostics: readonly Diagnostic[] } => {
  const diagnostics: Diagnostic[] = []
  const resolved = mapWhere('x-secret', schema, data, (node, value, path) => {
    // A public key is no secret, but it may be written as a reference, too.
    const isReference = node['x-secret'] === true || node['x-secret'] === 'public'
    if (!isReference || typeof value !== 'string') return value
    const result = resolveReferences(value, env)
    const report = (code: Code, message: string, help: string): Json => {
      const full = [...base, ...path]
      diagnostics.push(diagnostic(code, message, { pointer: pointerOf(full), place: source.place(full), help }))
      return value
    }
    if (!('value' in result) && isUnknown(env)) return value
    if (!('value' in result)) return report('WH305', `cannot resolve ${result.problem}`, result.help)
    // A rendered template is stored. A secret beside a placeholder would be stored, too, and a brace in a secret could begin a placeholder.
    if (node['x-template'] === true && result.value !== value && result.value.includes('{')) return report('WH707', mixedMessage, mixedHelp)
    if (isPrefixAlone(result.value)) return report(...prefixAlone)
    return result.value
  })
  return { data: resolved, diagnostics }
}
