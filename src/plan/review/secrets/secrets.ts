/**
 * Finds weak secrets: secrets that are easy to guess, were never filled in, or have a blank around them. No message quotes a secret, except
 * one that is only the name of a variable (`$NAME`).
 */

import { insecure } from '../../../config/config.ts'
import { isPrefixAlone } from '../../../config/secrets/resolve-secrets.ts'
import type { Path } from '../../../core/diagnostic.ts'
import { fixOf, type ReportFinding, type Subject } from '../subject.ts'

const minLength = 12
const minDifferent = 5

const makeSecretHelp = 'make one with: openssl rand -base64 32'

/** Returns the route's own secrets, each with its path. The inherited global secret is reviewed with the adapter's settings. */
export const ownSecrets = ({ spec }: Pick<Subject, 'spec'>): readonly { readonly secret: string; readonly path: Path }[] => {
  if (Array.isArray(spec.secrets)) return spec.secrets.map((secret, i) => ({ secret, path: ['secrets', i] }))
  return spec.secret === undefined ? [] : [{ secret: spec.secret, path: ['secret'] }]
}

export const reviewSecrets = (subject: Subject): void => {
  // A secret that is also the global secret is reviewed with the adapter's settings.
  for (const { secret, path } of ownSecrets(subject)) if (secret !== subject.config.globalSecret) reviewSecret(secret, path, subject)
}

type SecretContext = Pick<Subject, 'texts' | 'placeOf'> & { readonly say: ReportFinding }

/**
 * Reviews a secret whose references are resolved. Nothing is said of an empty secret, a bare prefix or `INSECURE_NO_AUTH`, because other
 * checks report these.
 */
export const reviewSecret = (secret: string, path: Path, { say, texts, placeOf }: SecretContext): void => {
  if (secret === insecure || secret.trim() === '' || isPrefixAlone(secret)) return
  // Where the environment is not read, references are not resolved.
  if (/^(?:\$\{\w+(?::-[^}]*)?\}$|(?:file|credential|exec):)/.test(secret)) return
  const name = /^\$([A-Za-z_]\w*)$/.exec(secret)?.[1]
  if (name !== undefined) {
    const place = placeOf(path)
    const isWritten = texts.at(place)?.includes(`$${name}`) === true
    const fix = isWritten ? { fix: fixOf('write a reference', false, { place, text: `\${${name}}` }) } : {}
    const message = 'the secret is the name of a variable: it is not read without braces'
    say('WH301', path, message, { help: `write \${${name}}`, suggest: [`\${${name}}`], ...fix })
    return
  }
  const why = weakness(secret.trim())
  if (why !== undefined) say('WH301', path, `the secret ${why}`, { help: makeSecretHelp })
  else if (secret !== secret.trim()) {
    const message = 'the secret has a blank or a line end around it: a sender that has it without is refused'
    say('WH306', path, message, { help: 'write it in quotes, on one line; if the blank belongs to it, nothing is wrong' })
  }
}

const guessableSecret =
  /^(?:change[-_ ]?(?:me|this|it)\b.*|(?:your|my|the|our|some|a)?[-_ ]?(?:webhook|hook|github|gitlab|stripe|shared|super|signing)?[-_ ]?(?:secret|token|password|key|passphrase)(?:[-_ ]?(?:here|key|token|value|goes[-_ ]?here|\d{1,4}))?|password\d*|passw0rd|todo|tbd|fixme|none|null|undefined|x{3,}|\*{3,}|\.{3,}|example|test(?:ing|[-_ ]?secret)?|placeholder|replace[-_ ]?(?:me|this|with\b.*)|insert\b.*|enter\b.*|foo(?:bar)?|qwerty\w*|123456\d*|abc123|<.*>|\{.*\}|\[.*\]|%\w+%|__.*__)$/i

/** Returns why a secret is weak, as the text behind "the secret"; `undefined` for a good secret. */
export const weakness = (secret: string): string | undefined => {
  if (/[<{[]/.test(secret[0] ?? '') && guessableSecret.test(secret)) return 'is a placeholder that was never filled in'
  if (guessableSecret.test(secret)) return 'is a word that everybody tries first'
  if (secret.length < minLength) return `has only ${secret.length} characters`
  if (new Set(secret).size < minDifferent) return 'repeats a few characters'
  return undefined
}
