/** Knows of a target which receiver its texts go to, and what a failed sending says of that receiver. */

import { type JsonObject, own } from '../../core/json.ts'
import type { Sent, TargetPart } from '../targets/target.ts'
import { textSetting, webAddressesIn } from './settings.ts'

/**
 * Returns the address of what takes the texts of a target with these settings: `https://chat.example.org`, without path, query and login,
 * or the name of a host. Empty where the target has one address only. Texts with the same address fail together.
 */
export const receiverAddress = (part: Pick<TargetPart, 'addresses'>, extra: JsonObject, settings: JsonObject): string => {
  const urls = [...(part.addresses ?? []).map((key) => own(extra, key)), ...webAddressesIn(settings)]
  const url = urls.find((each) => typeof each === 'string' && URL.canParse(each))
  return url === undefined ? (textSetting(settings, 'smtp_host') ?? textSetting(settings, 'host') ?? '') : new URL(String(url)).origin
}

/** Returns whether the receiver is up or down, as the result of a sending shows it. */
export const receiverState = (sent: Sent): 'down' | 'up' | 'unknown' => {
  if (sent.ok) return 'up'
  return sent.receiver ?? (sent.repeatable ? 'down' : 'unknown')
}
