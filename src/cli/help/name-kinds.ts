/** The kinds of names that the shell completes for the value of an option, or for an argument. */

import type { Argument, Command, Option } from 'commander'
import type { NameKind } from '../../app/completable-names.ts'
import { pathOf } from './suggest.ts'

export type Kind = NameKind | 'files'

const optionKinds: { readonly [flag: string]: Kind } = {
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

export const kindOfOption = ({ long }: Option): Kind | undefined => optionKinds[long ?? '']

const argumentKinds: { readonly [argument: string]: Kind } = {
  'webhook subscribe name': 'subscriptions',
  'webhook remove name': 'subscriptions',
  'webhook enable name': 'subscriptions',
  'webhook disable name': 'subscriptions',
  'samples show name': 'samples',
  'samples list provider': 'providers',
  'targets test name': 'targets',
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
 * Returns the kind of an argument. A row for the command and the argument comes first, then one for the noun and the argument, then one
 * for the argument alone.
 */
export const kindOfArgument = (command: Command, argument: Argument): Kind | undefined => {
  const path = pathOf(command)
  const name = argument.name()
  return argumentKinds[`${path} ${name}`] ?? argumentKinds[`${path.split(' ')[0]} ${name}`] ?? argumentKinds[name]
}
