/** Makes Markdown of the main text of a page. Needs seconds for some pages and may never end for others: page-in-thread.ts bounds it. */

import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'
import { cut } from '../../../core/text.ts'
import { textIn } from './text-in.ts'

/** `markdown` has at most `maxChars` of the `chars` that there are. */
export type Page = { readonly title: string; readonly markdown: string; readonly chars: number }
export type PageSource = {
  readonly bytes: Uint8Array
  readonly charset: string | undefined
  readonly url: string
  readonly maxChars: number
}

/** What is used of a DOM: its types would bring the globals of browsers with them. */
type Attributed = { readonly nodeName: string; getAttribute(name: string): string | null }
type Queried = { querySelector(selector: string): { readonly textContent: string } | null }

const maxTitleChars = 300
const maxTargetChars = 2_000
/** Where a page may say its character set. */
const prescanBytes = 1_024

export const readPage = ({ bytes, charset, url, maxChars }: PageSource): Page => {
  const html = wholePage(decode(bytes, charset))
  const { document } = parseHTML(html)
  const title = (document as unknown as Queried).querySelector('title')?.textContent ?? ''
  const article = new Readability(document, { serializer: (node) => node }).parse()
  // What is short, or a list, is no article.
  const markdown = markdownOf(article?.content, url) || markdownOf(parseHTML(html).document.body, url)
  return { title: oneLine(article?.title || title), markdown: cut(markdown, maxChars), chars: markdown.length }
}

const decode = (bytes: Uint8Array, declaredCharset: string | undefined): string => {
  const start = Buffer.from(bytes.subarray(0, prescanBytes)).toString('latin1')
  const charset = declaredCharset ?? /<meta\s[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(start)?.[1] ?? 'utf-8'
  return textIn(bytes, charset)
}

/** The parser makes no `html` and `body` of its own around a page that leaves one of them out. */
const wholePage = (html: string): string =>
  /<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html.replace(/<\/?(?:!doctype|html|head|body)\b[^>]{0,1000}>/gi, '')}</body></html>`

const oneLine = (text: string): string => cut(text.replace(/\s+/g, ' ').trim(), maxTitleChars)

const silent = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'svg', 'nav', 'title', 'button', 'select', 'textarea']

const isSilent = (node: Attributed): boolean =>
  silent.includes(node.nodeName.toLowerCase()) ||
  node.getAttribute('hidden') !== null ||
  /(?:display:\s{0,9}none|visibility:\s{0,9}hidden)/i.test(node.getAttribute('style') ?? '')

const markdownOf = (content: unknown, base: string): string => {
  if (!content) return ''
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
  service.remove((node) => isSilent(node as unknown as Attributed))
  service.addRule('link', {
    filter: 'a',
    replacement: (text, node) => {
      const target = targetOf((node as unknown as Attributed).getAttribute('href'), base)
      return target === undefined || text.trim() === '' ? text : `[${text}](${target})`
    },
  })
  // A picture is named and not shown: what is shown is loaded by who reads it.
  service.addRule('picture', {
    filter: 'img',
    replacement: (_, node) => {
      const target = targetOf((node as unknown as Attributed).getAttribute('src'), base)
      const name = oneLine((node as unknown as Attributed).getAttribute('alt') ?? '').replace(/[[\]]/g, '')
      return target === undefined ? name : `[picture: ${name}](${target})`
    },
  })
  return service.turndown(content as never).trim()
}

const targetOf = (href: string | null, base: string): string | undefined => {
  if (href === null || href.startsWith('#') || !URL.canParse(href, base)) return undefined
  const { protocol, href: target } = new URL(href, base)
  if (!/^https?:$/.test(protocol) || target.length > maxTargetChars) return undefined
  return target.replaceAll('(', '%28').replaceAll(')', '%29')
}
