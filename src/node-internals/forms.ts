/**
 * Chooses between two forms of the same work. The fast form depends on the insides of Node or V8, the plain form only on what is
 * documented. The fast form runs on the versions where it was measured (bench/README.md, "Node's insides"), the plain form on all others.
 */

/** The major versions of Node on which the fast forms were measured. */
const measuredVersions = [20, 22, 24, 26]

export const formNames = ['parser', 'flags', 'hmac'] as const
export type FormName = (typeof formNames)[number]

const major = Number.parseInt(process.versions.node, 10)
/** The names whose plain form is asked for, or `all`. For comparing the forms, and where a fast form is suspected of a fault. */
const plainNames = (process.env.HEADGATE_PLAIN ?? '').split(',')

export const isFast = (name: FormName): boolean =>
  measuredVersions.includes(major) && !plainNames.includes(name) && !plainNames.includes('all')
