/** Takes the secrets out of a file of subscriptions or jobs. */

import { exit, Fault } from '../../core/fault.ts'
import { parseObject } from '../../core/json.ts'
import { secretsIn, stars } from '../mask-lines/find-secrets.ts'

/** Stands in place of a secret. The reference cannot be resolved, so an entry that has it is not served. */
const leftOut = '${SECRET_LEFT_OUT_OF_BACKUP}'

/**
 * Returns the text of a file of entries without its secrets. References to secrets stay. Throws a Fault where the text cannot be read, so
 * that no secret stays in it by mistake.
 */
export const withoutSecrets = (name: string, text: string): string => {
  const covers = secretsIn(text)
  let out = ''
  let copied = 0
  for (const { from, to, shown } of [...(covers ?? [])].sort((a, b) => a.from - b.from)) {
    // A cover without stars shows the value as it is: a reference, or the name of a file.
    if (!shown.includes(stars) || from < copied) continue
    out += `${text.slice(copied, from)}${JSON.stringify(leftOut)}`
    copied = to
  }
  out += text.slice(copied)
  if (covers && parseObject(out)) return out
  throw new Fault('corrupt_store', `${name} cannot be read, so its secrets cannot be left out`, {
    exitCode: exit.conflict,
    hint: 'mend the file, or copy it with its secrets: --with-config',
  })
}
