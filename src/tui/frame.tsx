/**
 * The whole frame, as an Ink component: a title, the screen, a notice, and the hints (keys with a word for each). The last row of the
 * terminal stays free.
 */

import { Box } from 'ink'
import { createElement, Fragment } from 'react'
import { widthOf } from './model/characters.ts'
import { isTooSmall, roomOf, smallestSize } from './model/room.ts'
import { type EditorState, top } from './model/state.ts'
import { loadViews, models } from './screens/index.ts'
import { Field } from './view/field.tsx'
import { hintsOf } from './view/hints.ts'
import { Pane } from './view/pane.tsx'
import { Gap, Row } from './view/row.tsx'
import { Span } from './view/span.tsx'

const views = await loadViews()

type Props = { readonly state: EditorState }

/** Shows a state of the editor: the screen that is on top, and the rows around it. */
export const Frame = ({ state }: Props) => {
  const { world } = state
  const { columns, rows } = world.size
  const screen = top(state)
  const view = views.get(screen.kind)
  const room = roomOf(world.size)
  return (
    <Box flexDirection="column" width={columns} height={Math.max(1, rows - 1)}>
      {isTooSmall(world.size) ? (
        <Row>
          <Span>{`too small: ${columns}x${rows}, needs ${smallestSize.columns}x${smallestSize.rows}; q quits`.slice(0, columns)}</Span>
        </Row>
      ) : (
        <>
          <Title state={state} />
          <Gap />
          <Pane {...room}>{view && createElement(view, { screen, world, room })}</Pane>
          <Notice state={state} />
          <Hints state={state} />
        </>
      )}
    </Box>
  )
}

/** Shows the title. The text at its right is left out if it does not fit. */
const Title = ({ state }: Props) => {
  const { home, payload, draft, options, size } = state.world
  const screen = top(state)
  const title = models[screen.kind].title(screen, state.world)
  const about = [
    payload && draft ? `payload: ${payload.title}` : '',
    options.profile === undefined ? '' : `profile: ${options.profile}`,
    options.readOnly ? 'read-only' : '',
    home ? `gateway: ${home.gateway ?? 'not running'}` : '',
  ]
    .filter(Boolean)
    .join('   ')
  return (
    <Box height={1} flexShrink={0} justifyContent="space-between">
      <Row>
        {' '}
        <Span tone="strong">{title}</Span>
      </Row>
      {widthOf(title) + widthOf(about) + 3 > size.columns ? undefined : (
        <Row>
          <Span tone="dim">{about}</Span>
        </Row>
      )}
    </Box>
  )
}

/** Shows the notice, or the search in place of the notice. */
const Notice = ({ state: { world, search } }: Props) => {
  const { notice, size } = world
  const said = notice && (
    <Row>
      <Span tone={notice.tone}>{`${notice.tone === 'ok' ? '' : '! '}${notice.text}`}</Span>
    </Row>
  )
  return (
    <Box height={1} flexShrink={0}>
      {search ? <SearchLine search={search} width={size.columns - 20} /> : said}
    </Box>
  )
}

const SearchLine = ({ search, width }: { readonly search: NonNullable<EditorState['search']>; readonly width: number }) => {
  const { field, isWriting, isFound } = search
  const how = isFound ? (isWriting ? '' : '  n next, N before, esc ends') : '  nothing found'
  return (
    <Row>
      <Span tone="accent">/</Span>
      {isWriting ? <Field field={field} width={width} /> : <Span>{field.text}</Span>}
      <Span tone={isFound ? 'dim' : 'warn'}>{how}</Span>
    </Row>
  )
}

const Hints = ({ state }: Props) => (
  <Box height={1} flexShrink={0}>
    <Row>
      {hintsOf(state, models, state.world.size.columns).map(({ key, label }) => (
        <Fragment key={`${key} ${label}`}>
          <Span tone="accent">{` ${key}`}</Span>
          <Span tone="dim">{` ${label}`}</Span>
        </Fragment>
      ))}
    </Row>
  </Box>
)
