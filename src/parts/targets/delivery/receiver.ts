/** Finds the receiver of a target's texts, and decides by the result of a sending whether that receiver is down. */

import { type Json, type JsonObject, own } from '../../../core/json.ts'
import { hasVariable } from '../../../secrets/variables.ts'
import type { Sent, TargetPart } from '../target.ts'
import { textSetting, webAddressesIn } from './settings.ts'

/**
 * Returns the address of the receiver that takes the texts of a target with these settings: `https://chat.example.org`, without path, query
 * and login, or the name of a host. Empty where neither `extra` nor the settings have an address. Texts with the same address fail
 * together.
 */
export const receiverAddress = (part: Pick<TargetPart, 'addresses'>, extra: JsonObject, settings: JsonObject): string => {
  const urls = [...(part.addresses ?? []).map((key) => own(extra, key)), ...webAddressesIn(settings)]
  const origin = urls.map(originOf).find((each) => each !== undefined)
  return origin ?? textSetting(settings, 'smtp_host') ?? textSetting(settings, 'host') ?? ''
}

/**
 * Returns scheme and host of an address in settings, which never have a placeholder; of an address that is a reference to a secret, the
 * reference. `undefined` where it is no address.
 */
export const originOf = (url: Json | undefined): string | undefined => {
  if (typeof url !== 'string') return undefined
  return URL.canParse(url) ? new URL(url).origin : hasVariable(url) ? url : undefined
}

/** Returns whether the receiver is up or down, as the result of a sending shows; `unknown` where the result does not show it. */
export const receiverState = (sent: Sent): 'down' | 'up' | 'unknown' => {
  if (sent.ok) return 'up'
  return sent.receiver ?? (sent.repeatable ? 'down' : 'unknown')
}
