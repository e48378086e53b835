/** A screen whose script is loaded when the screen is opened for the first time. */

import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { NoAnswer } from './ask.ts'
import { Failure } from './parts.tsx'

/** Returns a screen that loads its script first, and shows a failure where the script cannot be loaded. */
export const lazy = <Props extends object>(load: () => Promise<FunctionComponent<Props>>): FunctionComponent<Props> => {
  let loaded: FunctionComponent<Props> | undefined
  return (props) => {
    const [round, setRound] = useState(0)
    const [failure, setFailure] = useState<NoAnswer>()
    // biome-ignore lint/correctness/useExhaustiveDependencies: each round tries again
    useEffect(() => {
      if (loaded) return
      load().then(
        (screen) => {
          loaded = screen
          setFailure(undefined)
          setRound((before) => before + 1)
        },
        () => setFailure(new NoAnswer(0, 'a part of the console could not be loaded', 'start it again: headgate console')),
      )
    }, [round])
    if (loaded) {
      const Loaded = loaded
      return <Loaded {...props} />
    }
    return failure ? <Failure failure={failure} again={() => setRound(round + 1)} /> : <p class="quiet">Loading…</p>
  }
}
