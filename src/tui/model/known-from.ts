/** What all screens know from an answer on. */

import type { News, World } from './screen.ts'

export const knownFrom = (news: News, { draft, revision }: World): Partial<World> => {
  switch (news.told) {
    case 'home':
      return { home: news.answer }
    case 'copied':
      return { notice: { tone: 'ok', text: 'copied' } }
    case 'payload':
      return news.of.route === draft?.opened.name ? { payload: news.answer } : {}
    case 'preview':
      return news.answer.revision === revision ? { preview: news.answer } : {}
    case 'failed':
      return { notice: { tone: 'bad', text: [news.message, news.hint].filter(Boolean).join(': ') } }
    default:
      return {}
  }
}
