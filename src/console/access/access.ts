/** Puts together the sign-ins, codes, origins and ways to sign in, by which the server decides who may use the console from where. */

import type { ConsoleSettings } from '../../config/console/settings.ts'
import type { Clock } from '../../core/clock.ts'
import { type Codes, createCodes } from './codes.ts'
import { createGate, type Gate } from './gate.ts'
import { createOrigins, type Origins } from './origins.ts'
import { createSignInMethods, type SignInMethods } from './sign-in-methods.ts'
import { createSignIns, type SignIns } from './sign-ins.ts'

export type ConsoleAccess = {
  readonly codes: Codes
  readonly signIns: SignIns
  readonly origins: Origins
  readonly publicOrigin: string | undefined
  readonly ways: SignInMethods
  readonly gate: Gate
  readonly clock: Clock
}

export const createAccess = (settings: ConsoleSettings, clock: Clock): ConsoleAccess => {
  const signIns = createSignIns(clock)
  const { publicOrigin } = settings
  const origins = createOrigins(publicOrigin)
  const ways = createSignInMethods(settings, clock)
  return {
    codes: createCodes(clock),
    signIns,
    origins,
    publicOrigin,
    ways,
    gate: createGate({ signIns, origins, forward: ways.forward }),
    clock,
  }
}
