/** Fills in `${NAME}` and `${NAME:-default}` (rules: Configuration 3). */

import type { Json } from '../core/json.ts'
import { namesVariableSecret } from '../core/secret-names.ts'

type Variables = { readonly [name: string]: string | undefined }

const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/** Returns the text without its variables. */
export const withoutVariables = (text: string): string => text.replace(variable, '')

export const hasVariable = (text: string): boolean => text.search(variable) >= 0

/** Returns the text with the values of its variables, or the name of the first one that is not set and has no default. */
export const fillVariables = (text: string, env: Variables): { readonly value: string } | { readonly missing: string } => {
  let missing: string | undefined
  const value = text.replace(variable, (_whole, name: string, fallback: string | undefined) => {
    // As in a shell's ${NAME:-default}: an empty variable counts as unset when there is a default.
    const found = Object.hasOwn(env, name) ? env[name] : undefined
    if (found !== undefined && (found !== '' || fallback === undefined)) return found
    if (fallback !== undefined) return fallback
    missing ??= name
    return ''
  })
  return missing === undefined ? { value } : { missing }
}

/** Returns the values of the variables in the texts of a value, as far as the names of the variables name a secret. */
export const secretVariables = (value: Json, env: Variables): string[] =>
  [...JSON.stringify(value).matchAll(variable)].flatMap(([, name = '']) => (namesVariableSecret(name) ? (env[name] ?? []) : []))
