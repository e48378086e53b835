/** Gives the lists of a dry run that conditions ask (`in_list`), so that neither the data directory nor a server decides. */

import { messageOf } from '../../core/fault.ts'
import { type Json, type JsonObject, own } from '../../core/json.ts'
import { parseAnswer } from '../../expr/answered-list.ts'
import { atOnce } from '../../expr/list-file.ts'
import { type ListSpec, type OpenedList, UnavailableList } from '../../expr/named-lists.ts'

/**
 * Opens the list that is given for a condition; `undefined` where none is. `lists`: the values by the name of a list, or for an address what
 * its server answers: JSON, or lines of text.
 */
export const openGivenList = (spec: ListSpec, lists: JsonObject): OpenedList | undefined => {
  const given = 'store' in spec ? own<Json>(lists, spec.store) : answerOf(spec.url, lists)
  if (given === undefined) return undefined
  const [answer, contentType] = typeof given === 'string' ? [given, 'text/plain'] : [JSON.stringify(given)]
  return {
    ask() {
      try {
        return atOnce(parseAnswer(answer, 'store' in spec ? {} : spec, contentType))
      } catch (error) {
        throw new UnavailableList(messageOf(error))
      }
    },
  }
}

/** Finds an address in whatever spelling it is given. */
const answerOf = (url: string, lists: JsonObject): Json | undefined =>
  Object.entries(lists).find(([name]) => URL.canParse(name) && new URL(name).href === url)?.[1]
