/** Says in words how a route is paused, for the screens of editor and console. */

/**
 * `isHold`: events are kept, and their runs wait. `heldRuns`: how many runs wait, as far as the gateway has read them; absent where no
 * gateway runs.
 */
export type ShownPause = { readonly isHold: boolean; readonly heldRuns?: number }

export const pauseText = ({ isHold, heldRuns }: ShownPause): string => {
  if (!isHold) return 'paused, its events are refused'
  if (heldRuns === undefined) return 'paused, its runs are held'
  return `paused, ${heldRuns} ${heldRuns === 1 ? 'run is' : 'runs are'} held`
}
