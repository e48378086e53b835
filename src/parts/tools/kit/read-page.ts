/**
 * Makes Markdown of the main text of a web page. Some pages take seconds and others would take forever, so `readWebPage` is called in a thread
 * with limits (`page-in-thread.ts`).
 */

import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import TurndownService from 'turndown'
import { cut } from '../../../core/text.ts'

/** Decodes bytes as text. Where Node does not know the character set, the bytes are read as UTF-8. */
export const decodeText = (bytes: Uint8Array, charset = 'utf-8'): string => {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

/** A page that was read. `chars`: the length of the whole text, of which `markdown` has at most the first `maxChars` characters. */
export type WebPage = { readonly title: string; readonly markdown: string; readonly chars: number }
/**
 * The page to read. `charset`: from the header of the answer. `url`: the address of the page, after redirects; relative links are resolved
 * against it.
 */
export type PageSource = {
  readonly bytes: Uint8Array
  readonly charset: string | undefined
  readonly url: string
  readonly maxChars: number
}

/** The members of DOM objects that are used here. TypeScript's own types of the DOM would declare the globals of browsers too. */
type Attributed = { readonly nodeName: string; getAttribute(name: string): string | null }
type Queried = { querySelector(selector: string): { readonly textContent: string } | null }

const maxTitleChars = 300
const maxLinkChars = 2_000
/** The bytes at the beginning of a page in which the page may name its character set. */
const prescanBytes = 1_024

/** Returns the title and the main text of a page. Where no main text is found, the whole body of the page is taken. */
export const readWebPage = ({ bytes, charset, url, maxChars }: PageSource): WebPage => {
  const html = wholePage(decode(bytes, charset))
  const { document } = parseHTML(html)
  const title = (document as unknown as Queried).querySelector('title')?.textContent ?? ''
  const article = new Readability(document, { serializer: (node) => node }).parse()
  // Readability gives nothing where it takes all text of a page for something beside the article, such as a footer. It has changed the
  // document, so the page is parsed again.
  const markdown = markdownOf(article?.content, url) || markdownOf(parseHTML(html).document.body, url)
  return { title: oneLine(article?.title || title), markdown: cut(markdown, maxChars), chars: markdown.length }
}

/** Decodes a page in the character set that its header names, else in the character set that the page itself names, else as UTF-8. */
const decode = (bytes: Uint8Array, declaredCharset: string | undefined): string => {
  const start = Buffer.from(bytes.subarray(0, prescanBytes)).toString('latin1')
  const charset = declaredCharset ?? /<meta\s[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(start)?.[1] ?? 'utf-8'
  return decodeText(bytes, charset)
}

/** Puts `html` and `body` around a page that leaves one of them out. Browsers add them by themselves, but the parser does not. */
const wholePage = (html: string): string =>
  /<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html.replace(/<\/?(?:!doctype|html|head|body)\b[^>]{0,1000}>/gi, '')}</body></html>`

const oneLine = (text: string): string => cut(text.replace(/\s+/g, ' ').trim(), maxTitleChars)

/** The elements whose text is not part of the main text of a page. */
const silentElements = [
  'script',
  'style',
  'noscript',
  'template',
  'iframe',
  'object',
  'svg',
  'nav',
  'title',
  'button',
  'select',
  'textarea',
]

const isSilent = (node: Attributed): boolean =>
  silentElements.includes(node.nodeName.toLowerCase()) ||
  node.getAttribute('hidden') !== null ||
  /(?:display:\s{0,9}none|visibility:\s{0,9}hidden)/i.test(node.getAttribute('style') ?? '')

const markdownOf = (content: unknown, base: string): string => {
  if (!content) return ''
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' })
  service.remove((node) => isSilent(node as unknown as Attributed))
  service.addRule('link', {
    filter: 'a',
    replacement: (text, node) => {
      const address = linkAddress((node as unknown as Attributed).getAttribute('href'), base)
      return address === undefined || text.trim() === '' ? text : `[${text}](${address})`
    },
  })
  // A picture becomes a link with its description: a picture in Markdown would be loaded by the program that shows the text.
  service.addRule('picture', {
    filter: 'img',
    replacement: (_, node) => {
      const address = linkAddress((node as unknown as Attributed).getAttribute('src'), base)
      const name = oneLine((node as unknown as Attributed).getAttribute('alt') ?? '').replace(/[[\]]/g, '')
      return address === undefined ? name : `[picture: ${name}](${address})`
    },
  })
  return service.turndown(content as never).trim()
}

/** Returns the whole web address of a link, fit for Markdown; `undefined` for other links. */
const linkAddress = (href: string | null, base: string): string | undefined => {
  if (href === null || href.startsWith('#') || !URL.canParse(href, base)) return undefined
  const { protocol, href: address } = new URL(href, base)
  if (!/^https?:$/.test(protocol) || address.length > maxLinkChars) return undefined
  return address.replaceAll('(', '%28').replaceAll(')', '%29')
}
