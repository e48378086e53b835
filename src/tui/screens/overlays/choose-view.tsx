/** Shows a question with its few answers, as a list. */

import { areaUnderHead } from '../../model/list.ts'
import type { ChooseScreen } from '../../model/overlays.ts'
import { List } from '../../view/list.tsx'
import { Gap, Row } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'

export const ChooseView = ({ screen, room }: ScreenProps<ChooseScreen>) => {
  const { question, choices } = screen
  return (
    <>
      <Row>
        <Span tone="strong">{question}</Span>
      </Row>
      <Gap />
      <List rows={choices} area={areaUnderHead(screen, choices, room)}>
        {({ title }) => <Span>{title}</Span>}
      </List>
    </>
  )
}
