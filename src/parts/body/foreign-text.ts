/**
 * Recognises a body, or the signed field `payload` of a form, that begins like the text that a scheme signs, such as `<time>.<body>`. Where
 * two schemes have the same secret, a stranger could capture a signature of the one scheme, and send the signed text as a body of the other
 * (rules: Authentication 18).
 */

/**
 * The beginnings of signed texts: a time, an id and a time, an address, a token. No JSON object, list or text begins like one of them, nor
 * does a form of a sender.
 */
const beginnings = [
  // A time in digits: the generic V2, Stripe, Buildkite, Calendly, Grafana, Slack, Zoom, Discord and SendGrid. In the text of Mailgun, a
  // token follows the time, and may begin with digits.
  /^(?:v\d+:)?\d{10,}(?:[^\d=]|$)/,
  // An id and a time: Standard Webhooks and Svix.
  /^[^{["=&\s]{1,256}\.\d{10}\./,
  // A time in ISO 8601: Zendesk.
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/,
  // An address: HubSpot, Square and Twilio.
  /^(?:[A-Z]+)?https?:\/\//,
  // A JSON Web Token without its signature.
  /^eyJ[\w-]+\.eyJ[\w-]+$/,
]
/** The most bytes of a body that are compared with the beginnings. */
const maxBeginning = 300
const [mapStart, listStart, textStart] = [...'{["'].map((character) => character.charCodeAt(0))

/** Whether a body, or a field of one, begins like the text that a scheme signs. A body or field from a sender never does. */
export const isForeignText = (body: Buffer): boolean => {
  const first = body[0]
  if (first === undefined || first === mapStart || first === listStart || first === textStart) return false
  const start = body.toString('latin1', 0, maxBeginning)
  return beginnings.some((form) => form.test(start))
}
