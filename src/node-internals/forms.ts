/**
 * Chooses between two forms of the same work. The fast form depends on the insides of Node or V8, the plain form only on documented
 * functions. The fast form runs on the versions of Node on which it was measured (bench/README.md, "Node's insides"), the plain form on all
 * other versions.
 */

const measuredVersions = [20, 22, 24, 26]

/**
 * The works that have two forms: the limit of head-limit.ts, the flags of v8-flags.ts, the HMACs of hmac-key.ts, hand-socket.ts, the
 * bodies of received-request.ts, and decode-wide.ts.
 */
export const formNames = ['parser', 'flags', 'hmac', 'socket', 'body', 'decode'] as const
export type FormName = (typeof formNames)[number]

/** The major version of Node that runs. */
export const nodeMajor = Number.parseInt(process.versions.node, 10)
/** The names whose plain form the operator asks for, or `all`: to compare the forms, or where a fast form is suspected of a fault. */
const plainNames = (process.env.HEADGATE_PLAIN ?? '').split(',')

export const isFast = (name: FormName): boolean =>
  measuredVersions.includes(nodeMajor) && !plainNames.includes(name) && !plainNames.includes('all')
