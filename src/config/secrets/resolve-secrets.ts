/** Resolves the references in every value that the schema marks as a secret (rules: Configuration 3). */

import { type Code, type Diagnostic, diagnostic, type Path, pointerOf } from '../../core/diagnostic.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { containsMask } from '../../secrets/mask.ts'
import { hasVariable } from '../../secrets/variables.ts'
import { isUnknown } from '../env.ts'
import { mapWhere } from '../schema-walk.ts'
import type { Source } from '../yaml/source.ts'
import { knownReference } from './providers.ts'
import { type References, resolveReferences, type Unresolved } from './reference.ts'

/** Whether a secret is only `whsec_`, the prefix of each Standard Webhooks secret, which everybody knows. */
export const isPrefixAlone = (secret: string): boolean => /^\s*whsec_[\s=]*$/.test(secret)

/** Returns the code, the message and the help for a text that is no secret: only a prefix, or a mask; `undefined` for any other text. */
export const noSecret = (text: string): readonly [code: Code, message: string, help: string] | undefined => {
  if (isPrefixAlone(text))
    return ['WH309', 'nothing follows "whsec_" in this secret', 'copy the whole secret: the base64 after whsec_ is its key']
  // People copy a mask from `webhook show`, from a diff or from the console.
  if (!containsMask(text.trim())) return undefined
  const help = 'paste the secret itself from where it was made, or write a reference such as ${NAME}'
  return ['WH510', 'this is a mask, which the program shows in place of a secret, and not the secret', help]
}

const mixedMessage = 'a reference and a placeholder in one text: what a payload fills in is stored, and the secret would be'
const keptHelp = 'mend it, and run `headgate gateway reload`'
const mixedHelp = 'give the secret a header, or a key of the body, of its own; its value must have no {'

/** Whether a finding of `resolveSecrets` means that its value cannot be used. */
export const isUnresolved = ({ code }: Diagnostic): boolean => code !== 'WH330'

/**
 * Returns a copy of `data`, which `schema` describes and which stands at the path `base` of its file, with every secret resolved. WH305
 * reports a reference that cannot be resolved, WH329 a program that gave no secret, WH330 a program that gave no newer secret, WH309 a
 * secret that is only a prefix, WH510 a mask, WH707 a reference beside a placeholder. A value that is reported stays as it is, except for WH330. While
 * the environment is unknown, or programs were not asked, a reference that cannot be resolved stays without a report. `asked`: the
 * references to secrets of programs, as `PROVIDER/ID`.
 */
export const resolveSecrets = (
  schema: JsonObject,
  data: Json,
  from: References,
  source: Pick<Source, 'place'>,
  base: Path = [],
): { readonly data: Json; readonly diagnostics: readonly Diagnostic[]; readonly asked: ReadonlySet<string> } => {
  const diagnostics: Diagnostic[] = []
  const asked = new Set<string>()
  const say = ([code, message, help]: NonNullable<ReturnType<typeof noSecret>>, path: Path): void => {
    const full = [...base, ...path]
    diagnostics.push(diagnostic(code, message, { pointer: pointerOf(full), place: source.place(full), help }))
  }
  const resolved = mapWhere('x-secret', schema, data, (node, value, path) => {
    // A public key is no secret, but it may be written as a reference, too.
    const isReference = node['x-secret'] === true || node['x-secret'] === 'public'
    const isLate = node['x-secret'] === 'late'
    if (typeof value !== 'string' || !(isReference || (isLate && hasVariable(value)))) return value
    const result = resolveReferences(value, from)
    const reference = from.secrets && knownReference(value, from.secrets)
    if (reference !== undefined) asked.add(reference)
    if (!result || (!('value' in result) && isUnknown(from.env))) return value
    const problem = problemOf(value, result, node['x-template'] === true)
    if (problem) say(problem, path)
    // What is filled in late stays a reference here, because it is stored.
    return !isLate && 'value' in result && (!problem || problem[0] === 'WH330') ? result.value : value
  })
  // An address that is no reference may have been copied with its masks, too. Addresses that are references as a whole were checked above.
  mapWhere('x-address', schema, data, (node, value, path) => {
    const mayBeMasked = node['x-secret'] === undefined || node['x-secret'] === 'late'
    const wrong = mayBeMasked && typeof value === 'string' ? noSecret(value) : undefined
    if (wrong) say(wrong, path)
    return value
  })
  return { data: resolved, diagnostics, asked }
}

/** Returns the code, the message and the help for a reference, or for the value that it leads to; `undefined` where nothing is wrong. */
const problemOf = (
  written: string,
  result: { readonly value: string; readonly kept?: string } | Unresolved,
  isTemplate: boolean,
): readonly [code: Code, message: string, help: string] | undefined => {
  if (!('value' in result)) return [result.isProgram ? 'WH329' : 'WH305', `cannot resolve ${result.problem}`, result.help]
  // A rendered template is stored. A secret beside a placeholder would be stored, too, and a brace in a secret could begin a placeholder.
  if (isTemplate && result.value !== written && result.value.includes('{')) return ['WH707', mixedMessage, mixedHelp]
  const wrong = noSecret(result.value)
  if (wrong) return wrong
  return result.kept === undefined ? undefined : ['WH330', `${written}: ${result.kept}`, keptHelp]
}
