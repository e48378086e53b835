/** `lists add|remove <name> [values...]`: changes a list. The next event is judged by the changed list. */

import { exit, Fault } from '../../core/fault.ts'
import { addToList, type ChangedList, dropList, removeFromList } from '../../operate/lists.ts'
import { inForce } from '../shell/in-force.ts'
import { answer, type Cli } from '../shell/output.ts'

export type ListsAddOptions = { readonly for?: number }
export type ListsRemoveOptions = { readonly all?: boolean }

export const listsAdd = async (name: string, values: readonly string[], { for: forMs }: ListsAddOptions, cli: Cli): Promise<number> =>
  told('lists.add', 'added', await addToList(cli.workspace, name, await given(values, cli), forMs), cli)

export const listsRemove = async (
  name: string,
  values: readonly string[],
  { all = false }: ListsRemoveOptions,
  cli: Cli,
): Promise<number> => {
  if (all === values.length > 0)
    throw new Fault('usage', all ? '--all removes the whole list: name no values' : 'no values are named', {
      exitCode: exit.usage,
      hint: 'name values, @- for the lines of standard input, or --all for the whole list',
    })
  if (all) return told('lists.remove', 'removed the list with', await dropList(cli.workspace, name), cli)
  return told('lists.remove', 'removed', await removeFromList(cli.workspace, name, await given(values, cli)), cli)
}

/** Returns the values of the command line; for a single `@-`, the lines of standard input. */
const given = async (values: readonly string[], { io }: Cli): Promise<readonly string[]> => {
  if (values.length !== 1 || values[0] !== '@-') return values
  return (await io.stdin()).split(/\r?\n/).flatMap((line) => line.trim() || [])
}

const told = async (kind: string, done: string, { name, changed, count }: ChangedList, cli: Cli): Promise<number> => {
  const values = (number: number): string => `${number} ${number === 1 ? 'value' : 'values'}`
  const text = `${name}: ${done} ${values(changed)}, ${values(count)} now\n`
  return answer(cli, { kind, data: { name, changed, count, others: await inForce(cli) }, text })
}
