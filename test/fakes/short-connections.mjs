/**
 * Lets each `fetch` of a test close its connection, as a sender that has gone does. A gateway or relay that stops waits up to a second for
 * connections that are kept, which most tests would pay once for each gateway. What keeps connections is tested with clients of its own.
 */

const kept = globalThis.fetch
globalThis.fetch = (input, init = {}) => {
  const headers = new Headers(init.headers)
  headers.set('connection', 'close')
  return kept(input, { ...init, headers })
}
