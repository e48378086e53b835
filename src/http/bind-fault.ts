/** Makes the Fault of a server that cannot listen: the server for senders, for metrics, or for the console. */

import { codeOf, exit, Fault, messageOf } from '../core/fault.ts'

/** `setting`: what the operator does to choose another port, such as `choose another port with --port`. */
export const bindFault = (error: unknown, { host, port }: { readonly host: string; readonly port: number }, setting: string): Fault => {
  const isTaken = codeOf(error) === 'EADDRINUSE'
  const hint = isTaken ? `another program listens there: stop it, or ${setting}` : 'check host and port'
  return new Fault('cannot_listen', `cannot listen on ${host}:${port}: ${messageOf(error)}`, { exitCode: exit.no, hint, cause: error })
}
