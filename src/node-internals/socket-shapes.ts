/** Keeps V8 from making hidden classes for each new connection. */

import { Socket, type SocketConstructorOpts } from 'node:net'
import { isFast } from './forms.ts'

/** V8 tells at most four shapes apart at one place of a program. */
const shapes = 8
/** V8 begins to note shapes only once a function has run some twenty times. */
const sockets = 64

/**
 * Makes sockets, which are dropped at once, with options of many shapes. Node copies the options of each socket and adds three (`Socket` in
 * lib/net.js). At a place where V8 has seen few shapes it copies in a way of its own, and each addition to such a copy then makes a hidden
 * class that nothing else shares: three for each connection, in the old space, and all that reads the options is slow (DECISIONS.md, 96).
 * The plain form does nothing.
 */
export const mixSocketShapes = (): void => {
  if (!isFast('sockets')) return
  for (let i = 0; i < sockets; i++) new Socket({ [`shape${i % shapes}`]: true } as SocketConstructorOpts)
}
