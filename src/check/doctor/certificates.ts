/** Checks the certificates of `tls`: their files, and whether the running gateway has taken them. */

import { checkTls } from '../../config/tls/check-tls.ts'
import { systemClock } from '../../core/clock.ts'
import { shownPlace } from '../../core/diagnostic.ts'
import { type Check, type CheckInput, fail, ok, warn } from '../../datadir/check.ts'

const name = 'certificates'

/** Returns no check where the gateway speaks plain HTTP. */
export const checkCertificates = ({ loaded: { config }, workspace: { self }, status }: CheckInput): readonly Check[] => {
  if (!config.tls) return []
  const found = checkTls(config, systemClock.now()).map(({ severity, code, message, place, help = '' }) => {
    const check = severity === 'error' ? fail : warn
    return check(name, `${code} ${message}${place ? ` (${shownPlace(place)})` : ''}`, help)
  })
  const refused = status?.certificates_refused
  const kept = refused ? [warn(name, `the gateway keeps the certificates that it had: ${refused.reason}`, `${self} gateway reload`)] : []
  const checks = [...found, ...kept]
  return checks.length > 0 ? checks : [ok(name, `${config.tls.pairs.length} in ${config.dataDir}`)]
}
