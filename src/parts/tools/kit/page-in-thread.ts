/** Reads a web page in a thread of its own: reading some pages takes very long, and would hold up the event loop. */

import type { Clock } from '../../../core/clock.ts'
import { askThread } from '../../../process/ask-thread.ts'
import type { PageSource, WebPage } from './read-page.ts'
import { WebProblem } from './web-problem.ts'

const pageThread = { built: './page-thread.js', source: new URL('./page-thread.ts', import.meta.url) }

/**
 * Resolves to the title and text of a page. Rejects with a WebProblem when the page cannot be read within the time and memory of a thread, or
 * with the reason of `signal`.
 */
export const readPageInThread = async (source: PageSource, clock: Clock, signal: AbortSignal): Promise<WebPage> => {
  const page = await askThread<WebPage>({ thread: pageThread, data: source }, clock, signal)
  if (!page) throw new WebProblem('The page cannot be read: it is too large or too deeply nested.')
  return page
}
