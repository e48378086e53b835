/** WH8: the machine and the files of the data directory. */

import type { Explanation } from './explanation.ts'

export const ofHost = {
  WH803: {
    means: 'webhook_subscriptions.json is not usable as a whole: not JSON, nested too deep, too large, or no regular file.',
    why: 'The gateway serves the last good set, and every command that would write the file refuses, so that nothing of it is lost.',
    fix: 'Mend it at the place that the message names, or restore webhook_subscriptions.json.bak.',
  },
  WH804: {
    means: 'A file that holds secrets can be read by others on this machine.',
    why: 'Whoever reads a secret can sign requests as the sender.',
    fix: 'chmod 600 the file. headgate writes it so itself.',
  },
  WH806: {
    means: 'cron_jobs.json is not usable as a whole, or holds more jobs than may run.',
    why: 'The jobs of the last good set run on, and every command that would write the file refuses.',
    fix: 'Mend it at the place that the message names, or restore cron_jobs.json.bak.',
  },
} as const satisfies { readonly [code: string]: Explanation }
