/** What kind of name stands as the value of each option and as each argument, so that the shell can complete it. */

import type { Argument, Command, Option } from 'commander'
import type { NameKind } from '../../edit/completable-names.ts'
import { commandPath } from './suggest.ts'

export type CompletedKind = NameKind | 'files'

const optionKinds: { readonly [flag: string]: CompletedKind } = {
  '--data-dir': 'files',
  '--config': 'files',
  '--secret-file': 'files',
  '--baseline': 'files',
  '--payload': 'files',
  '--private-key': 'files',
  '--prompt': 'files',
  '--body': 'files',
  '--header': 'files',
  '--filter': 'files',
  '--from': 'files',
  '--route': 'routes',
  '--from-route': 'routes',
  '--sample': 'samples',
  '--deliver': 'targets',
  '--job': 'jobs',
  '--cron-job': 'jobs',
  '--profile': 'profiles',
  '--route-profile': 'profiles',
  '--select': 'codes',
  '--ignore': 'codes',
  '--fix': 'codes',
  '--skills': 'skills',
  '--outcome': 'outcomes',
  '--expect': 'outcomes',
  '--state': 'states',
}

/** Returns the kind of an option's value; `undefined` if the value is neither a name nor a file. */
export const kindOfOption = ({ long }: Option): CompletedKind | undefined => optionKinds[long ?? '']

/** The kinds of arguments: by command and argument, by noun and argument, or by argument alone. */
const argumentKinds: { readonly [argument: string]: CompletedKind } = {
  'webhook subscribe name': 'subscriptions',
  'webhook remove name': 'subscriptions',
  'webhook enable name': 'subscriptions',
  'webhook disable name': 'subscriptions',
  'samples show name': 'samples',
  'samples list provider': 'providers',
  'targets test name': 'targets',
  'targets reset target': 'targets',
  'alerts silence name': 'alerts',
  'webhook name': 'routes',
  'edit route': 'routes',
  'sessions route': 'routes',
  job: 'jobs',
  code: 'codes',
  paths: 'files',
  files: 'files',
  file: 'files',
}

/**
 * Returns the kind of an argument; `undefined` if it has none. Of the rows of `argumentKinds`, a row for the command goes before a row for
 * the noun, and a row for the noun before a row for the argument alone.
 */
export const kindOfArgument = (command: Command, argument: Argument): CompletedKind | undefined => {
  const path = commandPath(command)
  const name = argument.name()
  return argumentKinds[`${path} ${name}`] ?? argumentKinds[`${path.split(' ')[0]} ${name}`] ?? argumentKinds[name]
}
