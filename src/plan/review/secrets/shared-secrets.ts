/** Finds secrets that routes share: a sender that may post to one of these routes may post to all of them. */

import { insecure, type RouteSource } from '../../../config/config.ts'
import { isLost } from '../../../config/partial-route.ts'
import { type Diagnostic, diagnostic, type Path, pointerOf } from '../../../core/diagnostic.ts'
import { pluginNamePattern } from '../../../core/names.ts'
import { verifyNames } from '../../../parts/written-names.ts'
import type { CheckedRoute } from '../../check.ts'
import type { FileTexts } from '../file-texts.ts'
import { ownSecrets } from './secrets.ts'

type SecretHolder = { readonly route: RouteSource; readonly path: Path; readonly written: string | undefined }

/**
 * Reports every route with a secret of an earlier route, unless both have the same reference (`${NAME}`), which is taken as meant. Also
 * reports, once, routes of different senders that inherit the global secret.
 */
export const reviewSharedSecrets = (routes: readonly CheckedRoute[], texts: FileTexts): Diagnostic[] => {
  const holders = new Map<string, SecretHolder>()
  const diagnostics: Diagnostic[] = []
  for (const { route } of routes) {
    for (const { secret, path } of ownSecrets(route)) {
      if (secret === insecure || secret.trim() === '') continue
      const full = [...route.base, ...path]
      const holder: SecretHolder = { route, path: full, written: referenceIn(texts.at(route.place(full))) }
      const first = holders.get(secret)
      if (!first) holders.set(secret, holder)
      else if (first.route !== route && !(holder.written !== undefined && holder.written === first.written))
        diagnostics.push(sharedSecret(holder, first))
    }
  }
  return [...diagnostics, ...reviewInherited(routes)]
}

/** Reports once that routes with different senders inherit the global secret. */
const reviewInherited = (routes: readonly CheckedRoute[]): Diagnostic[] => {
  const isOfSender = ({ spec }: RouteSource): boolean =>
    verifyNames(spec).length > 0 && spec.public_key === undefined && !verifyNames(spec).some((name) => pluginNamePattern.test(name))
  const hasOwn = ({ route, salvaged }: CheckedRoute): boolean =>
    ownSecrets(route).length > 0 || (salvaged !== undefined && ['secret', 'secrets'].some((key) => isLost(salvaged, key)))
  const heirs = routes.filter((checked) => !hasOwn(checked) && isOfSender(checked.route)).map(({ route }) => route)
  const [first] = heirs
  const isShared = heirs.length > 1 && new Set(heirs.map(({ spec }) => JSON.stringify(spec.verify))).size > 1
  if (!first || !isShared || first.secrets.includes(insecure)) return []
  const names = heirs.slice(0, 5).map(({ name }) => `"${name}"`)
  const more = heirs.length > names.length ? ` and ${heirs.length - names.length} more` : ''
  return [
    diagnostic('WH320', `routes of different senders have the global secret: ${names.join(', ')}${more}`, {
      route: first.name,
      pointer: pointerOf(first.base),
      place: first.place(first.base, 'key'),
      help: 'give each sender a secret of its own: a request that is caught at one of these routes may hold at the others',
    }),
  ]
}

/** Returns the reference in a text: the name of `"${NAME}"`, or the whole of `file:/path`, `credential:NAME` and `exec:PROVIDER/ID`. */
const referenceIn = (written: string | undefined): string | undefined =>
  /\$\{(\w+)/.exec(written ?? '')?.[1] ?? /^["']?((?:file|credential|exec):\S+?)["']?$/.exec(written ?? '')?.[1]

const sharedSecret = ({ route, path }: SecretHolder, first: SecretHolder): Diagnostic =>
  diagnostic('WH302', `route "${route.name}" has the same secret as route "${first.route.name}"`, {
    route: route.name,
    pointer: pointerOf(path),
    place: route.place(path),
    help: 'give each its own: who has it may post to both, and a request caught at one can be sent to the other',
    related: [{ place: first.route.place(first.path), message: 'the same secret' }],
  })
