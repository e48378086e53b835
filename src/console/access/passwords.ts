/**
 * Sign-in by user name and password. The number of tries is bounded, for one network and for all networks together, and so is the memory
 * that checks take at a time.
 */

import type { ConsoleAuth } from '../../config/console/settings.ts'
import type { Clock } from '../../core/clock.ts'
import { own } from '../../core/json.ts'
import { networkOf } from '../../core/network.ts'
import { Allowance } from '../../core/turns/allowance.ts'
import { createSlots } from '../../core/turns/slots.ts'
import { isPassword } from '../../secrets/password-hash.ts'
import type { AccessRefusal } from './gate.ts'
import { type User, userOf } from './users.ts'

/** Returns the user of a name and a password, or a refusal. `address`: the address of the client. */
export type Passwords = (
  name: string,
  password: string,
  address: string,
) => Promise<{ readonly user: User } | { readonly refusal: AccessRefusal }>

/** The most tries of one network, and the most tries of all networks together, within `spanMs`. */
const maxOfNetwork = 10
const maxOfAll = 100
const spanMs = 60_000
/** The most networks whose tries are counted. A further network takes the place of the oldest. */
const maxNetworks = 1_000
/**
 * The most passwords that are checked at a time, and the most that wait. A check takes 32 MiB, or the memory that the hash of the user asks
 * for.
 */
const maxAtWork = 2
const maxWaiting = 16

const tooMany: AccessRefusal = { status: 429, error: 'too many tries to sign in: wait a minute' }

export const createPasswords = ({ password: hashes = {}, roles }: ConsoleAuth, clock: Clock): Passwords => {
  const all = new Allowance(clock, maxOfAll, spanMs)
  const ofNetworks = new Map<string, Allowance>()
  const slots = createSlots(() => maxAtWork, maxWaiting)
  const ofNetwork = (network: string): Allowance => {
    const known = ofNetworks.get(network)
    if (known) return known
    for (const key of ofNetworks.keys()) if (ofNetworks.size >= maxNetworks) ofNetworks.delete(key)
    const added = new Allowance(clock, maxOfNetwork, spanMs)
    ofNetworks.set(network, added)
    return added
  }
  return async (name, password, address) => {
    if (!ofNetwork(networkOf(address)).take(1) || !all.take(1)) return { refusal: tooMany }
    const checked = await slots.run(async () => ({ isRight: await isPassword(password, own(hashes, name)) }))
    if (!checked) return { refusal: tooMany }
    if (!checked.isRight) return { refusal: { status: 401, error: 'wrong user name or password' } }
    const user = userOf('password', name, [], roles)
    return user ? { user } : { refusal: { status: 403, error: `${name} has no role in console.auth.roles` } }
  }
}
