/** With `online`, reads a message of each polling endpoint, so that a wrong key is found before the gateway starts. */

import { systemClock } from '../../core/clock.ts'
import { type Check, type CheckInput, fail, ok } from '../../datadir/check.ts'
import { endpointOf, pollPage } from '../../parts/polling/svix.ts'

/** A consumer of its own: its position is not that of the gateway. */
const consumer = 'headgate-doctor'

/** Returns no check where no route of the configuration has `poll`, or where `online` is not asked for. */
export const checkPolls = async ({ loaded: { config } }: CheckInput, online: boolean): Promise<readonly Check[]> => {
  const checks: Check[] = []
  for (const { name, enabled, spec } of config.routes.values()) {
    const endpoint = spec.poll && endpointOf(spec.poll.url)
    if (!online || !enabled || !spec.poll || !endpoint || 'why' in endpoint) continue
    const url = endpoint.url.replace(/[^/]+$/, consumer)
    const page = await pollPage({ ...spec.poll, url }, { taken: undefined, limit: 1 }, systemClock)
    const label = `poll of ${name}`
    const help = 'poll.token is an API key of this endpoint, which its page makes'
    checks.push(page.ok ? ok(label, 'the polling endpoint can be read') : fail(label, `the polling endpoint: ${page.why}`, help))
  }
  return checks
}
