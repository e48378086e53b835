/** How a screen is shown: a component that Ink lays out in the room between the title and the notice. */

import type { ReactNode } from 'react'
import type { Room } from '../model/room.ts'
import type { Screen, World } from '../model/screen.ts'

/** What each view gets: the state of its screen, the state that all screens share, and the room to fill. */
export type ScreenProps<S extends Screen = Screen> = { readonly screen: S; readonly world: World; readonly room: Room }

/** A view, as a method: the compiler lets a method for one kind of screen stand among the views of all kinds. */
type AsMethod<S extends Screen> = { view(props: ScreenProps<S>): ReactNode }

export type ScreenView<S extends Screen = Screen> = AsMethod<S>['view']
