/** Keeps V8 from making hidden classes for each new connection. */

import { Socket, type SocketConstructorOpts } from 'node:net'
import { isFast } from './forms.ts'

/** The number of shapes. V8 tells at most four apart at one place of a program. */
const shapes = 8
/** The number of sockets. V8 begins to note shapes only once a function has run some twenty times. */
const sockets = 64

/**
 * Makes sockets, which are dropped at once, with options of many shapes. Node copies the options of each socket and adds three (`Socket` in
 * lib/net.js). Where V8 has seen few shapes, each addition to such a copy makes a hidden class that nothing else shares. That would be
 * three hidden classes for each connection, in the old space, and everything that reads the options would be slow (DECISIONS.md, 96). The
 * plain form does nothing.
 */
export const mixSocketShapes = (): void => {
  if (!isFast('sockets')) return
  for (let i = 0; i < sockets; i++) new Socket({ [`shape${i % shapes}`]: true } as SocketConstructorOpts)
}
