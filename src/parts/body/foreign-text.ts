/** Recognises a body that looks like the signed text of another scheme: under the same key, that scheme's signature would hold for it. */

/** The beginnings of signed texts: a time, an id and a time, an address, a token. No JSON object, list or text, and no form, begins so. */
const beginnings = [
  // V2, Stripe, Buildkite, Calendly, Grafana, Slack and Zoom; Discord, SendGrid and Mailgun, whose token may begin with digits.
  /^(?:v\d+:)?\d{10,}(?:[^\d=]|$)/,
  // Standard Webhooks and Svix; Zendesk.
  /^[^{["=&\s]{1,256}\.\d{10}\./,
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/,
  // HubSpot, Square and Twilio; tokens.
  /^(?:[A-Z]+)?https?:\/\//,
  /^eyJ[\w-]+\.eyJ[\w-]+$/,
]
const longest = 300
const [map, list, text] = [...'{["'].map((character) => character.charCodeAt(0))

/** Whether a body begins like the signed text of a scheme. No sender's own body does. */
export const isForeignText = (body: Buffer): boolean => {
  const first = body[0]
  if (first === undefined || first === map || first === list || first === text) return false
  const start = body.toString('latin1', 0, longest)
  return beginnings.some((form) => form.test(start))
}
