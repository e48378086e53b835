/** Shows a list. Only the rows that have room around the cursor become components. */

import { stripVTControlCharacters } from 'node:util'
import { Box, Text, Transform } from 'ink'
import type { ReactNode } from 'react'
import { cutOrPad } from '../model/cells.ts'
import { type ListArea, windowStart } from '../model/list.ts'
import { painted, Span } from './span.tsx'

type Props<T> = {
  readonly rows: readonly T[]
  readonly area: Pick<ListArea, 'width' | 'height' | 'cursor'>
  /** Whether keys move the cursor in this list, and not in another list of the screen. */
  readonly isActive?: boolean
  readonly children: (row: T) => ReactNode
}

export const List = <T,>({ rows, area: { width, height, cursor }, isActive = true, children }: Props<T>) => {
  const start = windowStart(cursor, rows.length, height)
  const shown = rows.slice(start, start + height).map((row, i) => ({ row, at: start + i }))
  return (
    <Box flexDirection="column" height={height} flexShrink={0}>
      {shown.map(({ row, at }) => (
        <ListRow key={at} isOn={at === cursor} isActive={isActive} width={width}>
          {children(row)}
        </ListRow>
      ))}
    </Box>
  )
}

type RowProps = { readonly isOn: boolean; readonly isActive: boolean; readonly width: number; readonly children: ReactNode }

/**
 * Shows a row. The row of the cursor has a `>`, and is an inverse bar in the active list. The bar has no tones, because these would look
 * like gaps.
 */
const ListRow = ({ isOn, isActive, width, children }: RowProps) => {
  const row = (
    <>
      <Span tone={isOn ? 'accent' : 'plain'}>{isOn ? '> ' : '  '}</Span>
      {children}
    </>
  )
  return <Text wrap="truncate">{isOn && isActive ? <Transform transform={(text) => bar(text, width)}>{row}</Transform> : row}</Text>
}

const bar = (text: string, width: number): string => painted(cutOrPad(stripVTControlCharacters(text), width), ['inverse'])
