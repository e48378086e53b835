/** Finds the receiver of a target's texts, and decides by the result of a sending whether that receiver is down. */

import { type JsonObject, own } from '../../../core/json.ts'
import type { Sent, TargetPart } from '../target.ts'
import { textSetting, webAddressesIn } from './settings.ts'

/**
 * Returns the address of the receiver that takes the texts of a target with these settings: `https://chat.example.org`, without path, query
 * and login, or the name of a host. Empty where neither `extra` nor the settings have an address. Texts with the same address fail
 * together.
 */
export const receiverAddress = (part: Pick<TargetPart, 'addresses'>, extra: JsonObject, settings: JsonObject): string => {
  const urls = [...(part.addresses ?? []).map((key) => own(extra, key)), ...webAddressesIn(settings)]
  const url = urls.find((each) => typeof each === 'string' && URL.canParse(each))
  return url === undefined ? (textSetting(settings, 'smtp_host') ?? textSetting(settings, 'host') ?? '') : new URL(String(url)).origin
}

/** Returns whether the receiver is up or down, as the result of a sending shows; `unknown` where the result does not show it. */
export const receiverState = (sent: Sent): 'down' | 'up' | 'unknown' => {
  if (sent.ok) return 'up'
  return sent.receiver ?? (sent.repeatable ? 'down' : 'unknown')
}
