/** Explains the codes that begin with WH8: the machine, and the files of the data directory. */

import type { Explanation } from './explanation.ts'

export const hostExplanations = {
  WH801: {
    means: 'The gateway could not listen on its host and port (validate --env, doctor): another program does, or it is not allowed.',
    why: 'The gateway would not start.',
    fix: 'End the other program, or set another port: headgate gateway setup --yes --port <number>.',
  },
  WH802: {
    means: 'The data directory cannot be made or written, or something else lies in its place (validate --env, doctor).',
    why: 'The gateway keeps its store there and would not start.',
    fix: 'Give the folder to the user that runs the gateway, or use another one: --data-dir.',
  },
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
  WH805: {
    means: 'A file of the data directory is dated more than a minute from now (validate --env, doctor). Nobody else is asked for the time.',
    why: 'Signatures with a time-stamp are valid for 300 s, so a wrong clock makes the gateway refuse them.',
    fix: 'Set the clock, for example with timedatectl set-ntp true.',
  },
  WH806: {
    means: 'cron_jobs.json is not usable as a whole, or holds more jobs than may run.',
    why: 'The jobs of the last good set run on, and every command that would write the file refuses.',
    fix: 'Mend it at the place that the message names, or restore cron_jobs.json.bak.',
  },
  WH808: {
    means:
      'A reload found config.yaml empty, or with fewer than half of the routes that are served; routes with new names are counted as before.',
    why: 'A file that was cut off looks the same, and the posts to the missing routes would get 404 and be lost. The gateway goes on serving the previous configuration.',
    fix: 'Look at the file. If it is as you want it: headgate gateway reload --force.',
  },
  WH807: {
    means: 'validate --env could not make the check that the message names.',
    why: 'Problems there would not be found.',
    fix: 'Mend what the message says: a file or folder may not be readable, or a gateway gives no answer. headgate doctor looks again.',
  },
} as const satisfies { readonly [code: string]: Explanation }
