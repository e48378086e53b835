/** What may be done on the present screen, for the palette. */

import { signal } from '@preact/signals'

/** `name`: what the palette shows. */
export type ScreenAction = { readonly name: string; readonly run: () => void }

export const screenActions = signal<readonly ScreenAction[]>([])
