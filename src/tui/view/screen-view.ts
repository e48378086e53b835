/** How a screen is shown: as lines, at most as many as there is room for, none wider than the terminal. */

import type { Screen, Size, World } from '../model/screen.ts'
import type { Line } from './line.ts'

export type Room = { readonly width: number; readonly height: number }

/** Around a screen are the title with a row below it, the notice, the hints, and the last row, which stays empty: a full frame would scroll. */
export const roomOf = ({ columns, rows }: Size): Room => ({ width: columns, height: rows - 5 })

export type ScreenView<S extends Screen = Screen> = (screen: S, world: World, room: Room) => readonly Line[]

/** Keeps the type of a screen's state where its view is written. */
export const screenView = <S extends Screen>(view: ScreenView<S>): ScreenView<S> => view
