/** Shows a line of text to fill in, what is wrong with the text so far, and what the text is for. */

import type { EntryScreen } from '../../model/overlays.ts'
import { markedRemark } from '../../model/remark.ts'
import { Field } from '../../view/field.tsx'
import { Remarks } from '../../view/remarks.tsx'
import { Gap, Row } from '../../view/row.tsx'
import type { ScreenProps } from '../../view/screen-view.ts'
import { Span } from '../../view/span.tsx'
import { complaint } from './entry.ts'

export const EntryView = ({ screen, room: { width } }: ScreenProps<EntryScreen>) => {
  const { field, isSecret, help } = screen
  const wrong = complaint(screen)
  return (
    <>
      <Row>
        <Span tone="accent">{'> '}</Span>
        <Field field={field} width={width - 4} isSecret={isSecret} />
      </Row>
      <Gap />
      <Remarks
        of={[
          ...(wrong === undefined ? [] : [markedRemark(wrong, 'warn')]),
          ...(help === undefined ? [] : [{ text: help, tone: 'dim' } as const]),
        ]}
      />
    </>
  )
}
