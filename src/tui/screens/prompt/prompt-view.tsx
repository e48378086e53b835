/**
 * Shows the prompt screen: the template, and its expansion (the template filled in from the payload). Placeholders for which the payload
 * has no value are underlined and followed by `[?]`.
 */

import type { ReactNode } from 'react'
import type { Preview } from '../../../edit/service.ts'
import { cutOrPad, wrap } from '../../model/cells.ts'
import type { Room } from '../../model/room.ts'
import type { World } from '../../model/screen.ts'
import { FieldRows } from '../../view/field.tsx'
import { List } from '../../view/list.tsx'
import { Beside, Pane } from '../../view/pane.tsx'
import { Gap, Row, Rows } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { type PromptLayout, promptLayout } from './layout.ts'
import type { PromptScreen } from './prompt.ts'

export const PromptView = ({ screen, world, room }: ScreenProps<PromptScreen>) => {
  const layout = promptLayout(screen, room)
  const { isWide, text, expansion } = layout
  const editor = <Editor screen={screen} world={world} layout={layout} />
  const expanded = <Expansion preview={world.preview} room={expansion} />
  if (isWide)
    return (
      <Beside room={room} left={text.width}>
        {editor}
        {expanded}
      </Beside>
    )
  return (
    <>
      <Pane height={room.height - expansion.height - 1}>{editor}</Pane>
      <Gap />
      {expanded}
    </>
  )
}

type EditorProps = { readonly screen: PromptScreen; readonly world: World; readonly layout: PromptLayout }

const Editor = ({ screen, world, layout: { text, paths } }: EditorProps) => (
  <>
    <FieldRows field={screen.field} room={text} lineView={(line) => withUnresolvedMarked(line, world.preview)} />
    {paths.height > 0 && (
      <List rows={screen.completion?.rows ?? []} area={paths}>
        {({ path, shown }) => (
          <>
            <Span>{`${cutOrPad(path, Math.floor(paths.width * 0.55))} `}</Span>
            <Span tone="dim">{shown}</Span>
          </>
        )}
      </List>
    )}
  </>
)

const withUnresolvedMarked = (text: string, preview: Preview | undefined): ReactNode => {
  const unresolved = new Set(preview?.prompt?.unresolved)
  const parts = text.split(/(\{[^{}\n]*\})/).map((part, at) => ({ part, at }))
  return parts.map(({ part, at }) => (unresolved.has(part) ? <Unresolved key={at}>{part}</Unresolved> : <Span key={at}>{part}</Span>))
}

const Unresolved = ({ children }: { readonly children: string }) => (
  <>
    <Span tone="warn" underline>
      {children}
    </Span>
    <Span tone="warn">[?]</Span>
  </>
)

const Expansion = ({ preview, room: { width, height } }: { readonly preview: Preview | undefined; readonly room: Room }) => {
  if (!preview) return <Rows of={['…']} tone="dim" />
  const { prompt, untraced = 'no payload is chosen' } = preview
  if (!prompt) return <Rows of={[untraced]} tone="dim" />
  const { unresolved, cuts, text } = prompt
  const about = `${text.length} chars · ${unresolved.length} unresolved · ${cuts.length} cut${cuts.length > 0 ? `: ${cuts.join(', ')}` : ''}`
  return (
    <>
      <Row>
        <Span tone={unresolved.length + cuts.length > 0 ? 'warn' : 'dim'}>{about}</Span>
      </Row>
      <Rows of={wrap(text.slice(0, 8_000), width).slice(0, height - 1)} />
    </>
  )
}
