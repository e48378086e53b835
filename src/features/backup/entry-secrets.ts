/** Takes the secrets out of a file of subscriptions or jobs. */

import { exit, Fault } from '../../core/fault.ts'
import { parseObject } from '../../core/json.ts'
import { maskScalar } from '../../datadir/mask-lines/find-secrets.ts'
import { maskJson } from '../../secrets/mask.ts'

/** Stands in place of a secret, also of one in an address. The reference cannot be resolved, so an entry that has it is not served. */
const leftOut = '${SECRET_LEFT_OUT_OF_BACKUP}'

/**
 * Returns the text of a file of entries without its secrets. References to secrets stay, without a default. Throws a Fault where the text
 * cannot be read, so that no secret stays in it by mistake.
 */
export const withoutSecrets = (name: string, text: string): string => {
  const entries = parseObject(text)
  if (entries) {
    const maskOf = (secret: string): string => (maskScalar(secret) === secret ? secret : leftOut)
    const masked = Object.entries(entries).map(([entry, settings]) => [entry, maskJson(settings, maskOf, leftOut)])
    return `${JSON.stringify(Object.fromEntries(masked), null, 2)}\n`
  }
  throw new Fault('corrupt_store', `${name} cannot be read, so its secrets cannot be left out`, {
    exitCode: exit.conflict,
    hint: 'mend the file, or copy it with its secrets: --with-config',
  })
}
