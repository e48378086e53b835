/** The theme of the text editor: the colours of the pages, light and dark. */

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const underline = (color: string) => ({ backgroundImage: 'none', textDecoration: `underline wavy ${color}`, textUnderlineOffset: '3px' })
/**
 * Makes the sign of a finding beside its line a character. CodeMirror's own signs are images at `data:` addresses, which the content
 * security policy stops.
 */
const sign = (color: string) => ({ content: 'normal', '&::before': { content: '"●"', color, fontSize: '0.9em' } })

const looks = EditorView.theme({
  '&': { border: '1px solid var(--line)', borderRadius: '6px', backgroundColor: 'var(--ground)', color: 'var(--text)' },
  '&.cm-focused': { outline: '2px solid var(--link)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', fontSize: '13px', lineHeight: '1.55', maxHeight: '70vh', minHeight: '16rem' },
  '.cm-content': { caretColor: 'var(--text)', padding: '0.5rem 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--link) 8%, transparent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--link) 28%, transparent)',
  },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '4px' },
  '.cm-tooltip .explained, .cm-completionInfo': { padding: '0.3rem 0.6rem', maxWidth: '28rem', whiteSpace: 'pre-wrap' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'inherit', maxHeight: '14rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--link)', color: 'var(--ground)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail': { color: 'inherit' },
  '.cm-completionDetail': { color: 'var(--quiet)', fontStyle: 'normal' },
  '.cm-completionIcon': { display: 'none' },
  '.cm-diagnostic': { padding: '0.2rem 0.6rem', whiteSpace: 'pre-wrap', maxWidth: '32rem' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '4px solid var(--wait)' },
  '.cm-diagnostic-info': { borderLeft: '4px solid var(--quiet)' },
  '.cm-lintRange-error': underline('var(--bad)'),
  '.cm-lintRange-warning': underline('var(--wait)'),
  '.cm-lintRange-info, .cm-lintRange-hint': underline('var(--quiet)'),
  '.cm-lint-marker-error': sign('var(--bad)'),
  '.cm-lint-marker-warning': sign('var(--wait)'),
  '.cm-lint-marker-info': sign('var(--quiet)'),
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield, .cm-button': {
    backgroundColor: 'var(--ground)',
    backgroundImage: 'none',
    color: 'var(--text)',
    border: '1px solid var(--line)',
  },
  '.cm-searchMatch, .cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--wait) 30%, transparent)' },
})

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--link)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: [tags.keyword, tags.bool, tags.null, tags.number], color: 'var(--wait)' },
  { tag: [tags.meta, tags.typeName, tags.labelName], color: 'var(--wait)' },
])

export const theme: Extension = [looks, syntaxHighlighting(colours)]
