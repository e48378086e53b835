/** `lists show [name]`: prints the values of a list, one a line, or the names of all lists with the number of their values. */

import type { Json } from '../../core/json.ts'
import { printable } from '../../core/text.ts'
import { readList, readLists } from '../../operate/lists.ts'
import { aligned } from '../shell/columns.ts'
import { answer, type Cli, note } from '../shell/output.ts'

export const listsShow = async (name: string | undefined, cli: Cli): Promise<number> => {
  if (name === undefined) {
    const lists = readLists(cli.workspace)
    if (lists.length === 0) note(cli, 'no lists: headgate lists add <name> makes one')
    const text = aligned(lists.map((each) => [each.name, `${each.count}`])).map((line) => `${line}\n`)
    return answer(cli, { kind: 'lists.show', data: { lists: lists.map((each): Json => ({ ...each })) }, text: text.join('') })
  }
  const values = readList(cli.workspace, name)
  const text = values.map(({ value, until }) => `${printable(value)}${until === undefined ? '' : `  until ${until}`}\n`)
  const data = { name, count: values.length, values: values.map(({ value, until }): Json => ({ value, until: until ?? null })) }
  return answer(cli, { kind: 'lists.show', data, text: text.join('') })
}
