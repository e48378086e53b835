/**
 * Patches Ink and its packages, and Zod, during the build, by replacing pieces of text. The build fails where a package no longer has a
 * piece, so that a new version is looked at.
 */

import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'

type Patch = { readonly file: RegExp; readonly changes: readonly (readonly [before: string, after: string])[] }

const all: readonly Patch[] = [
  {
    // Yoga asks whether there is a `fetch` before it takes its own bytes. The question makes Node load undici, which takes 45 ms of the
    // time to the first frame.
    file: /[\\/]yoga-wasm-base64-esm\.js$/,
    changes: [['"function"!=typeof fetch', '!0']],
  },
  {
    // Ink caches the size of every text for ever, and the live view shows new texts for as long as it is open. So the cache is bounded.
    file: /[\\/]ink[\\/]build[\\/]measure-text\.js$/,
    changes: [['cache.set(', 'if (cache.size >= 2000) cache.clear(); cache.set(']],
  },
  {
    // Ink also caches every text that it had to cut or wrap. This cache is bounded too.
    file: /[\\/]ink[\\/]build[\\/]wrap-text\.js$/,
    changes: [
      ['const cache = {};', 'let cache = {}; let kept = 0;'],
      ['cache[cacheKey] = ', 'kept += 1; if (kept > 2000) { cache = {}; kept = 1; } cache[cacheKey] = '],
    ],
  },
  {
    // Ink splits each row into characters for each frame. Most rows are the same as in the frame before, so their characters are kept.
    file: /[\\/]ink[\\/]build[\\/]output\.js$/,
    changes: [
      ['export default class Output', 'const shared = new OutputCaches();\nexport default class Output'],
      ['caches = new OutputCaches();', 'caches = shared;'],
      ['this.styledChars.set(', 'if (this.styledChars.size >= 1000) this.styledChars.clear(); this.styledChars.set('],
      ['this.widths.set(', 'if (this.widths.size >= 2000) this.widths.clear(); this.widths.set('],
      ['this.blockWidths.set(', 'if (this.blockWidths.size >= 1000) this.blockWidths.clear(); this.blockWidths.set('],
    ],
  },
  // Ink compares the styles of neighbouring characters in each frame. With these changes, characters of one style share one list of codes,
  // and Ink does no work for the same list or for empty lists.
  {
    file: /[\\/]ansi-tokenize[\\/]build[\\/]styledChars\.js$/,
    changes: [['styles: [...codes]', 'styles: codes']],
  },
  {
    file: /[\\/]ansi-tokenize[\\/]build[\\/]diff\.js$/,
    changes: [
      [
        'export function diffAnsiCodes(from, to) {',
        'export function diffAnsiCodes(from, to) { if (from === to || (from.length === 0 && to.length === 0)) return [];',
      ],
    ],
  },
  {
    file: /[\\/]ansi-tokenize[\\/]build[\\/]ansiCodes\.js$/,
    changes: [
      ['export function ansiCodesToString(codes) {', "export function ansiCodesToString(codes) { if (codes.length === 0) return '';"],
    ],
  },
  {
    // The width of a text is known from its layout, so it is not measured again.
    file: /[\\/]ink[\\/]build[\\/]render-node-to-output\.js$/,
    changes: [
      ["import widestLine from 'widest-line';", "import measureText from './measure-text.js';"],
      ['widestLine(text)', 'measureText(text).width'],
    ],
  },
  // Zod's messages in 50 languages, a quarter of a megabyte. Nobody asks for another language than English, which Zod imports by itself.
  {
    file: /[\\/]zod[\\/]v4[\\/](?:classic[\\/]external|core[\\/]index)\.js$/,
    changes: [['export * as locales from "../locales/index.js";', '']],
  },
]

export const patches: Plugin = {
  name: 'patches',
  setup({ onLoad, onEnd }) {
    const missing = new Set(all)
    for (const patch of all)
      onLoad({ filter: patch.file }, ({ path }) => {
        missing.delete(patch)
        return { contents: patch.changes.reduce((text, change) => changed(text, change, path), readFileSync(path, 'utf8')), loader: 'js' }
      })
    onEnd(() => {
      if (missing.size > 0) throw new Error(`nothing was changed for ${[...missing].map(({ file }) => file).join(', ')}`)
    })
  },
}

const changed = (text: string, [before, after]: readonly [string, string], path: string): string => {
  if (!text.includes(before)) throw new Error(`${path} has no ${before}: look at what the new version does`)
  return text.replaceAll(before, after)
}
