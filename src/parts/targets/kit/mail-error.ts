/**
 * Says in a sentence why a mail was not sent, or a recipient was refused: which setting to change, else what the server answered, else the
 * message of the error.
 */

import { excerpt, printable } from '../../../core/text.ts'

/** The fields of nodemailer's errors that are read here. */
export type MailError = {
  readonly code?: string | undefined
  readonly message: string
  /** The SMTP command that failed. */
  readonly command?: string | undefined
  readonly response?: string | undefined
  /** `true` when the server will never take this mail, `false` when it may later. Absent when the server did not answer. */
  readonly permanent?: boolean | undefined
  readonly recipient?: string | undefined
  readonly rejectedErrors?: readonly MailError[] | undefined
}

/** The code of the gateway's own error for a password in the settings where the server offers no login. */
export const noLogin = 'ENOLOGIN'

/** Returns the sentence for one error, at most 200 characters of it from the server. */
export const mailErrorText = (error: MailError): string =>
  advice(error) ?? (printable(excerpt((error.response ?? error.message).trim(), 200)) || 'refused without a reason')

/** Returns which setting to change, for an error that a setting can cause; else `undefined`. */
const advice = ({ code, command, message, response }: MailError): string | undefined => {
  if (code === noLogin)
    return 'the mail server offers no login: unset platforms.email.password (EMAIL_PASSWORD), or take the smtp_port and smtp_security that it has for logins'
  if (command === 'STARTTLS' && response !== undefined)
    return 'the mail server does not do STARTTLS here: set platforms.email.smtp_security (EMAIL_SMTP_SECURITY) to tls, or to none where nobody can listen'
  if (/:wrong version number:/.test(message))
    return 'the mail server does not begin with TLS on this port: set platforms.email.smtp_security (EMAIL_SMTP_SECURITY) to starttls'
  if (/self-signed certificate|unable to (?:get|verify)/.test(message))
    return `${excerpt(message, 100)}: name the certificate to trust in platforms.email.smtp_ca_file (EMAIL_SMTP_CA_FILE)`
  return undefined
}
