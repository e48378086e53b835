/** Explains the codes of findings about the certificates that the gateway shows its clients (`tls`). */

import type { Explanation } from './explanation.ts'

export const certificateExplanations = {
  WH324: {
    means: 'A file that `tls` names cannot be read, has no certificate or key in it, or the key does not belong to the certificate.',
    why: 'There is nothing to show senders: the gateway does not start. A running gateway keeps the certificates that it has.',
    fix: 'Name the two files that were made together: with certbot fullchain.pem and privkey.pem.',
    example: {
      of: 'config',
      bad: 'tls: { cert: missing.pem, key: missing-key.pem }\nplatforms:\n  webhook: { enabled: true }\n',
      good: 'platforms:\n  webhook: { enabled: true }\n',
    },
  },
  WH325: {
    means: 'A certificate has ended, or is not valid yet.',
    why: 'Senders that check certificates, as all should, post nothing. The gateway starts all the same, but a running one keeps the certificate that it has.',
    fix: 'Renew it, or set the clock of the machine.',
  },
  WH326: {
    means: 'A certificate, or one of its chain, ends within 14 days.',
    why: 'When it has ended, senders post nothing. What renews certificates usually does so earlier, so it has probably failed.',
    fix: 'Look at the log of what renews it (certbot: systemctl status certbot.timer), and renew it.',
  },
  WH327: {
    means: 'A certificate does not cover the name that stands beside it, or the host of `public_url`.',
    why: 'Senders that ask for this name refuse the certificate.',
    fix: 'Get a certificate for this name, or name the one that has it.',
  },
  WH328: {
    means:
      'In the file of a certificate, each certificate should be followed by the one that issued it. One of them is followed by another.',
    why: 'Some senders cannot find their way from the certificate to an authority that they trust, and post nothing.',
    fix: 'Use the file that the authority made (fullchain.pem): the certificate, then the one that issued it, and so on.',
  },
} as const satisfies { readonly [code: string]: Explanation }
