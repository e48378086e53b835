/**
 * Runs a case of the fuzz: it forges a few requests from a captured one, and sends them to one route. The seed alone decides what the case
 * does.
 */

import { createRandom, type Random } from '../../bench/durability/random.ts'
import { unsigned } from './exempt.ts'
import type { Finding } from './finding.ts'
import { createGenuine, type Genuine } from './genuine.ts'
import { judge, type Reference } from './judge.ts'
import { addresses } from './mutations/address.ts'
import { boundaries } from './mutations/boundaries.ts'
import { content } from './mutations/content.ts'
import { fields } from './mutations/fields.ts'
import { headers } from './mutations/headers.ts'
import type { Mutation, Scene } from './mutations/mutation.ts'
import { redress } from './mutations/redress.ts'
import { isSendable, type Sent } from './request.ts'
import type { Sender } from './senders.ts'
import type { Address, RouteSettings, World } from './world.ts'

export type CaseOptions = {
  readonly world: World
  /** The sender whose requests are captured. */
  readonly sender: Sender
  /** All senders: a route may name others of them besides `sender`. */
  readonly senders: readonly Sender[]
  readonly seed: number
  /** The number of requests that are sent. */
  readonly requests: number
}

type Kind = 'alone' | 'a list' | 'no verify' | 'another route'

export const runCase = async (options: CaseOptions): Promise<readonly Finding[]> => {
  const { world, sender, seed, requests } = options
  const random = createRandom(seed)
  world.forget()
  const [kind, other, route] = chooseRoute(options, random)
  const genuine = createGenuine(sender, random, { ...route, name: 'hook' })
  if (!genuine) return []
  const reference = await referenceOf(world, genuine, sender, kind, route)
  const findingOf = (finding: Pick<Finding, 'property' | 'detail' | 'steps'> & { readonly scheme?: string }): Finding => ({
    scheme: sender.name,
    ...finding,
    sender: sender.name,
    route: kind === 'alone' || kind === 'no verify' ? kind : `${kind} with ${other.name}`,
    seed,
  })
  if (typeof reference === 'string')
    return genuine.variants.length === 0 ? [findingOf({ property: 'what the sender sends is refused', detail: reference, steps: [] })] : []
  const scene = { random, genuine, sender, other, route }
  const findings: Finding[] = []
  for (let i = 0; i < requests; i++) {
    const { sent, steps } = mutated(scene, kind)
    if (!isSendable(sent)) continue
    const taken = await world.post(route, sent)
    const verdict = judge(taken, sent, sender, reference)
    if (verdict) findings.push(findingOf({ ...verdict, steps, scheme: taken.scheme ?? '' }))
  }
  return findings
}

/**
 * Returns the kind of the case, another sender, and the route that the forged requests are sent to. The route accepts the scheme of the
 * sender, that of the other sender, both, or all built-in schemes.
 */
const chooseRoute = ({ sender, senders }: CaseOptions, random: Random): readonly [Kind, Sender, RouteSettings] => {
  const others = senders.filter((each) => each !== sender && each.secret === sender.secret && unsigned[each.name] === undefined)
  const isBuiltin = sender.scheme.byName !== true
  const kind = random.pick<Kind>(others.length === 0 ? ['alone'] : ['alone', 'a list', 'another route', isBuiltin ? 'no verify' : 'alone'])
  const plain = others.filter(({ scheme }) => (kind === 'no verify' ? scheme.byName !== true : true))
  const other = plain.length > 0 ? random.pick(plain) : sender
  const both = random.shuffle([sender.name, other.name])
  const verify = { alone: [sender.name], 'a list': both, 'no verify': [], 'another route': [other.name] }[kind]
  const address = random.pick<Address>(['public_url', 'host', 'proxy'])
  return [kind, other, { name: kind === 'another route' ? 'other' : 'hook', verify, key: sender.key, address }]
}

/**
 * Sends the genuine request, and returns the reference for the judgement; a sentence where the sender's own route does not accept the
 * request.
 */
const referenceOf = async (
  world: World,
  genuine: Genuine,
  { name, key }: Sender,
  kind: Kind,
  route: RouteSettings,
): Promise<Reference | string> => {
  const own = await world.post({ ...route, name: 'hook', verify: [name], key }, genuine.sent)
  if (own.outcome.kind !== 'accepted' || !own.event)
    return own.outcome.kind === 'handshake' ? 'a handshake' : JSON.stringify(own.outcome).slice(0, 200)
  const here = kind === 'another route' ? undefined : await postAgain(world, route, genuine)
  return { sent: genuine.sent, alone: own.event, here }
}

/**
 * Sends the genuine request to the route of the case before the forged ones, so that its delivery id is claimed. Returns its event, if
 * accepted.
 */
const postAgain = async (world: World, route: RouteSettings, genuine: Genuine) => {
  world.forget()
  return (await world.post(route, genuine.sent)).event
}

const families: readonly (readonly Mutation[])[] = [content, boundaries, addresses, headers, fields]

/**
 * Applies none to three mutations. Before them, the signature is put into the form of the other sender (`redress`): always for that
 * sender's own route, and half of the time for a route that accepts several schemes.
 */
const mutated = (scene: Scene, kind: Kind): { readonly sent: Sent; readonly steps: readonly string[] } => {
  const { random, genuine } = scene
  const steps = [...genuine.variants]
  let sent = genuine.sent
  const take = ({ name, mutate }: Mutation): boolean => {
    const made = mutate(sent, scene)
    if (!made) return false
    sent = made
    steps.push(name)
    return true
  }
  if (kind === 'another route' || (kind !== 'alone' && random.whole(2) === 0)) take(redress)
  const wanted = random.pick([0, 1, 1, 1, 2, 2, 3])
  // Not every mutation finds something to change in every request.
  for (let done = 0, tries = 0; done < wanted && tries < 10; tries++) if (take(random.pick(random.pick(families)))) done++
  return { sent, steps }
}
