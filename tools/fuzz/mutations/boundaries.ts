/** Mutations that keep the signed text and cut it into values in other places: the end of one value becomes the beginning of the next. */

import type { Random } from '../../../bench/durability/random.ts'
import { type Part, partsOf, withPart } from '../parts.ts'
import type { Sent } from '../request.ts'
import { asAnything } from './content.ts'
import type { Mutate, Mutation } from './mutation.ts'

/** Two neighbouring variables of the signed text, and the fixed text between them. */
type Pair = { readonly left: number; readonly right: number; readonly between: string }

const pairsIn = (parts: readonly Part[]): readonly Pair[] =>
  parts.flatMap(({ name }, left) => {
    if (name === '') return []
    const next = parts[left + 1]
    if (next === undefined) return []
    if (next.name !== '') return [{ left, right: left + 1, between: '' }]
    return parts[left + 2] === undefined ? [] : [{ left, right: left + 2, between: next.text }]
  })

/**
 * Returns another offset in `whole` (two values joined by `between`) at which it can be cut; `undefined` where it has none. `now`: the
 * present offset.
 */
const otherCut = (whole: string, between: string, now: number, random: Random): number | undefined => {
  if (between === '') {
    const far = random.whole(4) === 0 ? random.whole(whole.length + 1) : now + (1 + random.whole(4)) * (random.whole(2) === 0 ? 1 : -1)
    return far === now || far < 0 || far > whole.length ? undefined : far
  }
  const found: number[] = []
  for (let at = whole.indexOf(between); at >= 0; at = whole.indexOf(between, at + 1)) if (at !== now) found.push(at)
  return found.length === 0 ? undefined : random.pick(found)
}

const moved: Mutate = (sent, scene) => {
  const { random, genuine, sender } = scene
  const { description, secret } = sender
  const parts = partsOf(genuine.sent, description, { secret, url: genuine.url })
  const pairs = pairsIn(parts ?? [])
  if (!parts || pairs.length === 0) return undefined
  const { left, right, between } = random.pick(pairs)
  const [a, b] = [parts[left] as Part, parts[right] as Part]
  const whole = a.text + between + b.text
  const cut = otherCut(whole, between, a.text.length, random)
  if (cut === undefined) return undefined
  const changed = [
    { ...a, text: whole.slice(0, cut) },
    { ...b, text: whole.slice(cut + between.length) },
  ].reduce<Sent | undefined>((made, part) => made && withPart(made, description, part), sent)
  return changed && asAnything(changed, scene)
}

export const boundaries: readonly Mutation[] = [{ name: 'a boundary of the signed text moved', mutate: moved }]
