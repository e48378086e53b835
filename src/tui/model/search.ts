/**
 * Searches the rows of a screen that has no filter of its own. Unlike a filter, a search hides no rows: the cursor goes to the row that has
 * the text.
 */

import type { ActionName } from '../../edit/actions.ts'
import type { Screen, ScreenModel, World } from './screen.ts'
import { editField, type TextField, textField, typeInto } from './text-field.ts'

/** A search that the user has begun and has not ended with escape. */
export type Search = {
  readonly field: TextField
  /** The user is writing the search, so letters are text. */
  readonly isWriting: boolean
  /** Whether a row has the text. */
  readonly isFound: boolean
  /** The screen as it was before the search. */
  readonly before: Screen
}

/** A screen, and the search on its rows; `undefined` if the user does not search. */
export type Searched = { readonly screen: Screen; readonly search?: Search | undefined }

/** Whether a screen can be searched: its model must have rows and a cursor, and the screen must not be taking text. */
export const canSearch = ({ rows, point, takes }: ScreenModel, screen: Screen, world: World): boolean =>
  rows !== undefined && point !== undefined && takes?.(screen, world) === undefined

/** Begins a search. Folded rows are shown, because a folded row may have the text. */
export const beginSearch = (screen: Screen, { unfold }: ScreenModel): Searched => ({
  screen: unfold?.(screen) ?? screen,
  search: { field: textField(), isWriting: true, isFound: true, before: screen },
})

/**
 * Handles a key while the user writes the search. Escape ends the search and restores the screen. Enter ends only the writing if a row has
 * the text, and acts like escape otherwise. Arrows go to the next or the previous row that has the text.
 */
export const searchKey = (
  { screen, search }: { readonly screen: Screen; readonly search: Search },
  key: { readonly name: string; readonly text?: string },
  world: World,
  model: ScreenModel,
): Searched => {
  if (key.name === 'esc') return { screen: search.before }
  if (key.name === 'enter') return search.isFound ? { screen, search: { ...search, isWriting: false } } : { screen: search.before }
  if (key.name === 'down' || key.name === 'up') return nextFound({ screen, search }, key.name === 'down' ? 1 : -1, world, model)
  const field = key.text === undefined ? editField(search.field, key.name) : typeInto(search.field, key.text)
  return withSearchText({ screen, search }, field, world, model)
}

/**
 * Takes the text of the search as it is now, and puts the cursor on a row that has the text. The rows are searched from the row that had
 * the cursor before the search to the last row, and then from the first row.
 */
export const withSearchText = (
  { screen, search }: { readonly screen: Screen; readonly search: Search },
  field: TextField,
  world: World,
  model: ScreenModel,
): Searched => {
  const from = model.unfold?.(search.before) ?? search.before
  const next = { ...search, field }
  if (field.text === '') return { screen: from, search: { ...next, isFound: true } }
  const row = firstRowFrom(screen, rowOfCursor(from, model), 1, field.text, world, model)
  return { screen: row === undefined ? screen : (model.point?.(screen, row) ?? screen), search: { ...next, isFound: row !== undefined } }
}

/** Puts the cursor on the next row that has the text of the search: below the cursor (`by` is 1) or above it (-1). */
export const nextFound = (
  { screen, search }: { readonly screen: Screen; readonly search: Search },
  by: 1 | -1,
  world: World,
  model: ScreenModel,
): Searched => {
  const row = firstRowFrom(screen, rowOfCursor(screen, model) + by, by, search.field.text, world, model)
  return { screen: row === undefined ? screen : (model.point?.(screen, row) ?? screen), search }
}

/** Returns the actions that searching adds to the actions of the screen. `search`: the search that the user began. */
export const searchActions = (search: Search | undefined): readonly ActionName[] =>
  search && !search.isWriting ? ['find', 'nextMatch', 'previousMatch'] : ['find']

export const rowOfCursor = (screen: Screen, { rowAt }: ScreenModel): number =>
  rowAt?.(screen) ?? ('cursor' in screen ? Number(screen.cursor) : 0)

const firstRowFrom = (screen: Screen, start: number, by: 1 | -1, text: string, world: World, model: ScreenModel): number | undefined => {
  const rows = model.rows?.(screen, world) ?? []
  const wanted = text.toLowerCase()
  const order = rows.map((_, i) => (((start + i * by) % rows.length) + rows.length) % rows.length)
  return order.find((row) => rows[row]?.toLowerCase().includes(wanted))
}
