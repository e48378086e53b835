/** How a screen is shown: as lines, at most as many as there is room for, none wider than the terminal. */

import type { Screen, World } from '../model/screen.ts'
import type { Line } from './line.ts'

export type Room = { readonly width: number; readonly height: number }

export type ScreenView<S extends Screen = Screen> = (screen: S, world: World, room: Room) => readonly Line[]

/** Keeps the type of a screen's state where its view is written. */
export const screenView = <S extends Screen>(view: ScreenView<S>): ScreenView<S> => view
