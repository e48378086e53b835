/** Checks what the running gateway says of itself: whether it is ready for requests, which targets are down, which alerts fire. */

import { type Check, type CheckInput, fail, ok, warn } from '../../datadir/check.ts'

const name = 'running gateway'

const downText = (count: number): string => (count === 1 ? 'a target is down, and its' : `${count} targets are down, and their`)

/** Returns no check where no gateway runs. */
export const checkRunning = ({ workspace: { self }, status }: CheckInput): readonly Check[] => {
  if (!status) return []
  const { not_ready, targets_down = 0, alerts = [], secrets = [], relay } = status
  const checks = [
    ...(not_ready ? [fail(name, `it takes no events: ${not_ready}`, 'its log has the reason; senders get 503 until it is ready')] : []),
    ...(targets_down > 0 ? [warn(name, `${downText(targets_down)} runs wait`, `${self} targets list`)] : []),
    ...(relay?.connected === false
      ? [
          fail(
            name,
            `nothing is taken from the relay ${relay.url}: ${relay.reason ?? 'not connected yet'}`,
            'check relay.url, relay.key and the clocks',
          ),
        ]
      : []),
    ...secrets.flatMap(({ reference, read_at, problem }) =>
      problem === undefined ? [] : [warn(name, `the secret exec:${reference} is that of ${read_at}: ${problem}`, `${self} gateway reload`)],
    ),
    ...(alerts.length > 0 ? [warn(name, `these alerts fire: ${alerts.join(', ')}`, `${self} alerts list`)] : []),
  ]
  return checks.length > 0 ? checks : [ok(name, 'it is ready, and no target is down')]
}
