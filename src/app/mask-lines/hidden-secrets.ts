/**
 * Hides the secrets of a YAML text that a person edits, and puts them back afterwards. A secret is shown as stars with its fingerprint. The
 * stars may be moved to another place of the text, and stand for the secret there, too.
 */

import { fingerprint } from '../../core/secrets/mask.ts'
import { coversOf } from './mask-lines.ts'

export type HiddenSecrets = {
  /** The text with stars, which is YAML, too. */
  readonly text: string
  /** Returns an edited text with the secrets in place of their stars. Stars that stand for no secret of the text stay. */
  readonly restored: (edited: string) => string
  /** Returns the first stars of an edited text that stand for no secret of the text, and their line, from 1. */
  readonly unknownIn: (edited: string) => { readonly stars: string; readonly line: number } | undefined
}

/** Stars with a fingerprint, with or without quotes around them. */
const starsForm = /(["']?)\*\*\* \(([0-9a-f]{8})\)\1/g

export const hideSecrets = (text: string): HiddenSecrets => {
  /** The secrets as the text has them, by their fingerprints. */
  const secrets = new Map<string, string>()
  const nameOf = (secret: string): string => {
    const bare = secret.replace(/^(["'])(.*)\1$/s, '$2')
    // A secret that stands in quotes here and without quotes there must come back as it was in both places.
    const names = [bare, secret, `${secret} `].map(fingerprint)
    const name = names.find((each) => (secrets.get(each) ?? secret) === secret) ?? fingerprint(secret)
    secrets.set(name, secret)
    return name
  }
  let at = 0
  const parts: string[] = []
  for (const { from, to, shown } of coversOf(text)) {
    const secret = text.slice(from, to).trimEnd()
    if (secret === '' || shown.trimEnd() === secret) continue
    const isWhole = !/[/?&=]$/.test(text.slice(Math.max(at, from - 1), from))
    const stars = `*** (${nameOf(secret)})`
    parts.push(text.slice(at, from), isWhole ? `'${stars}'` : stars)
    at = from + secret.length
  }
  const shown = parts.join('') + text.slice(at)
  const ofText = new Set([...shown.matchAll(starsForm)].map(([, , name]) => name))
  return {
    text: shown,
    restored: (edited) => edited.replace(starsForm, (stars, _quote, name: string) => secrets.get(name) ?? stars),
    unknownIn(edited) {
      const unknown = [...edited.matchAll(starsForm)].find(([, , name]) => !ofText.has(name))
      return unknown && { stars: unknown[0], line: edited.slice(0, unknown.index).split('\n').length }
    },
  }
}
