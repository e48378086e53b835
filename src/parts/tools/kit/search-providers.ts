/** The search services (providers) that `web_search` can ask: how each is asked, and where its answer has the results. */

import { isObject, type Json, type JsonObject, own, valueAt } from '../../../core/json.ts'
import { cut } from '../../../core/text.ts'

/** Where a provider is, and the key to it. The key is empty for a provider without keys. */
export type SearchAccess = { readonly baseUrl: string; readonly apiKey: string }
/** The HTTP request for a search: a POST of `json` or, without `json`, a GET. */
export type SearchRequest = { readonly url: string; readonly headers?: { readonly [name: string]: string }; readonly json?: JsonObject }
/** One result of a search. `snippet`: the text with which the provider describes the page. */
export type Hit = { readonly title: string; readonly url: string; readonly snippet: string }

/** A search service: where it is, what it needs, and how it is asked. */
export type SearchProvider = {
  readonly name: string
  /** The name for people, in editors. */
  readonly title: string
  /** The provider's address when there is no `base_url`. */
  readonly home?: string
  /** The setting that the provider cannot be asked without. */
  readonly needs: 'base_url' | 'api_key'
  /** The environment variable for the setting that `needs` names. Its value wins over the value in `config.yaml`. */
  readonly env: string
  /** Makes the request for a search. `max`: the most results. */
  readonly ask: (access: SearchAccess, query: string, max: number) => SearchRequest
  /** The path of the list of results in the provider's answer. */
  readonly results: readonly string[]
  /** The key of a result whose value is the snippet. */
  readonly snippet: string
  /** What the provider means by HTTP 403, in a sentence for the model. */
  readonly forbidden?: string
}

const query = (fields: { readonly [name: string]: string }): string => new URLSearchParams(fields).toString()

export const searchProviders: readonly SearchProvider[] = [
  {
    name: 'searxng',
    title: 'A SearXNG server of yours',
    needs: 'base_url',
    env: 'SEARXNG_URL',
    ask: ({ baseUrl }, q) => ({ url: `${baseUrl}/search?${query({ q, format: 'json' })}` }),
    results: ['results'],
    snippet: 'content',
    forbidden: 'The SearXNG server does not give its answers as JSON: its operator must add json to search.formats in its settings.yml.',
  },
  {
    name: 'brave',
    title: 'Brave Search',
    home: 'https://api.search.brave.com',
    needs: 'api_key',
    env: 'BRAVE_API_KEY',
    ask: ({ baseUrl, apiKey }, q, max) => ({
      url: `${baseUrl}/res/v1/web/search?${query({ q, count: String(max) })}`,
      headers: { 'x-subscription-token': apiKey },
    }),
    results: ['web', 'results'],
    snippet: 'description',
  },
  {
    name: 'tavily',
    title: 'Tavily',
    home: 'https://api.tavily.com',
    needs: 'api_key',
    env: 'TAVILY_API_KEY',
    ask: ({ baseUrl, apiKey }, q, max) => ({
      url: `${baseUrl}/search`,
      headers: { authorization: `Bearer ${apiKey}` },
      json: { query: q, max_results: max },
    }),
    results: ['results'],
    snippet: 'content',
  },
]

const maxTitleChars = 200
const maxSnippetChars = 600
const maxUrlChars = 2_000

/** Reads the results in a provider's answer, at most `max`; `undefined` when the answer has not the provider's form. */
export const hitsIn = ({ results, snippet }: SearchProvider, answer: JsonObject, max: number): readonly Hit[] | undefined => {
  const list = valueAt(answer, results)
  // Brave leaves `web` out when it found nothing.
  if (list === undefined && results.length > 1 && valueAt(answer, results.slice(0, 1)) === undefined) return []
  if (!Array.isArray(list)) return undefined
  return list.flatMap((each) => hitOf(each, snippet) ?? []).slice(0, max)
}

const hitOf = (each: Json, snippet: string): Hit | undefined => {
  if (!isObject(each)) return undefined
  const url = own(each, 'url')
  if (typeof url !== 'string' || url.length > maxUrlChars || !/^https?:\/\/[^\s]+$/i.test(url)) return undefined
  return { url, title: plainLine(own(each, 'title'), maxTitleChars), snippet: plainLine(own(each, snippet), maxSnippetChars) }
}

const entities: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", nbsp: ' ' }

/** Returns a text as one line of at most `limit` characters, without the tags with which providers mark the words of the query. */
const plainLine = (text: Json | undefined, limit: number): string => {
  if (typeof text !== 'string') return ''
  const bare = text
    .slice(0, limit * 4)
    .replace(/<\/?(?:b|strong|em|mark)>/gi, '')
    .replace(/&(amp|lt|gt|quot|#39|#x27|nbsp);/gi, (all, name: string) => own(entities, name.toLowerCase()) ?? all)
    .replace(/\s+/g, ' ')
    .trim()
  return bare.length <= limit ? bare : `${cut(bare, limit)}…`
}
