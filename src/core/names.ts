/** Names that have two spellings: neutral words for the code hosts beside their real ones, and platforms' second names (rules: Names 1). */

import type { Headers } from './request.ts'

export const routeName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Second names of delivery targets, and the real one of each. */
export const targetAliases: ReadonlyMap<string, string> = new Map([
  ['hosta_comment', 'github_comment'],
  ['hostb_comment', 'gitlab_comment'],
  ['msteams', 'teams'],
  ['whatsapp_cloud', 'whatsapp'],
  ['wecom_callback', 'wecom'],
])

/** The real name of a delivery target. */
export const targetName = (name: string): string => targetAliases.get(name) ?? name

/** A header's text under the first of these names that is there. Node joins a repeated header with a comma and a blank. */
export const header = (headers: Headers, ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = headers[name]
    if (value !== undefined) return typeof value === 'string' ? value : value.join(', ')
  }
  return undefined
}
