/** What kind of name stands as the value of each option and as each argument, so that the shell can complete it. */

import type { Argument, Command, Option } from 'commander'
import { type CompletedKind, notesOf } from '../shell/cli-command.ts'
import { commandPath } from './suggest.ts'

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
  '--agent': 'agents',
  '--skills': 'skills',
  '--outcome': 'outcomes',
  '--expect': 'outcomes',
  '--state': 'states',
}

/** Returns the kind of an option's value; `undefined` if the value is neither a name nor a file. */
export const kindOfOption = ({ long }: Option): CompletedKind | undefined => optionKinds[long ?? '']

/** The kinds of arguments: by noun and argument, or by argument alone. */
const argumentKinds: { readonly [argument: string]: CompletedKind } = {
  'webhook name': 'routes',
  'edit route': 'routes',
  'sessions route': 'routes',
  job: 'jobs',
  code: 'codes',
  paths: 'files',
  files: 'files',
  file: 'files',
}

/** Returns the kind of an argument, as the command says, as the noun has it, or as any argument of its name; `undefined` if it has none. */
export const kindOfArgument = (command: Command, argument: Argument): CompletedKind | undefined => {
  const name = argument.name()
  return notesOf(command).kinds[name] ?? argumentKinds[`${commandPath(command).split(' ')[0]} ${name}`] ?? argumentKinds[name]
}
